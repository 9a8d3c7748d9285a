import Foundation

/// A process of this machine, as /proc/PID/stat has it.
struct RunningProcess: Equatable, Sendable {
    let id: pid_t
    /// The first 15 bytes of the program's name.
    let name: String
    /// Whether it has ended and its parent has not waited for it.
    let hasEnded: Bool
    let parent: pid_t
    let group: pid_t
    let session: pid_t

    init(id: pid_t, name: String, hasEnded: Bool = false, parent: pid_t, group: pid_t, session: pid_t) {
        (self.id, self.name, self.hasEnded) = (id, name, hasEnded)
        (self.parent, self.group, self.session) = (parent, group, session)
    }

    /// - Parameter stat: a line whose second field, the name in parentheses, may hold anything.
    init?(stat: String) {
        guard let open = stat.firstIndex(of: "("), let close = stat.lastIndex(of: ")"),
            let id = pid_t(stat[..<open].trimmingCharacters(in: .whitespaces))
        else { return nil }
        let fields = stat[close...].split(separator: " ").dropFirst()
        let numbers = fields.dropFirst().prefix(3).compactMap { pid_t($0) }
        guard let state = fields.first, numbers.count == 3 else { return nil }
        self.init(
            id: id, name: String(stat[stat.index(after: open)..<close]), hasEnded: state == "Z" || state == "X",
            parent: numbers[0], group: numbers[1], session: numbers[2])
    }

    static var all: [RunningProcess] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.filter { pid_t($0) != nil }.compactMap { name in
            RunningProcess(stat: pid_t(name).map { content(of: "stat", of: $0) } ?? "")
        }
    }

    /// The program and its arguments; its name where /proc denies access, or it has ended.
    var command: String {
        let words = Self.content(of: "cmdline", of: id).split(separator: "\0").joined(separator: " ")
        return words.isEmpty ? name : words
    }

    /// NAME=VALUE each; empty where /proc denies access.
    var variables: [Substring] { Self.content(of: "environ", of: id).split(separator: "\0") }

    /// A file of /proc/PID to its end, of which `String(contentsOfFile:)` has the first page.
    static func content(of file: String, of process: pid_t) -> String {
        let handle = FileHandle(forReadingAtPath: "/proc/\(process)/\(file)")
        return String(decoding: (try? handle?.readToEnd()) ?? Data(), as: UTF8.self)
    }
}
