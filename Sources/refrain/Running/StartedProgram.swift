import CLinux
import Glibc

/// The program as it was started; an upgrade starts it again.
struct StartedProgram: Sendable {
    /// Absolute. Links in it are followed when it is started, not before: an upgrade may turn one
    /// to another file.
    let path: String
    /// With the program's own name in front.
    let arguments: [String]

    /// This process's; nil where no path leads to its program. To be asked at the start, while the
    /// targets of the paths can be compared with the running program.
    static func ofThisProcess() -> StartedProgram? {
        let arguments = CommandLine.arguments
        let execution = clinux_started_as().map { String(cString: $0) }
        let own = "/proc/self/exe"
        return path(among: [execution, arguments.first, target(of: own)].compactMap { $0 }, leadingTo: own)
            .map { StartedProgram(path: $0, arguments: arguments) }
    }

    /// The first of these paths that leads to the same file as `program`, as an absolute one. Paths
    /// in /proc or /dev lead there for this process alone.
    static func path(among candidates: [String], leadingTo program: String) -> String? {
        var wanted = stat()
        guard stat(program, &wanted) == 0 else { return nil }
        return candidates.lazy.compactMap(absolute).first { path in
            var status = stat()
            return !["proc", "dev"].contains(path.split(separator: "/").first ?? "") && stat(path, &status) == 0
                && status.st_dev == wanted.st_dev && status.st_ino == wanted.st_ino
        }
    }

    private static func absolute(_ path: String) -> String? {
        if path.hasPrefix("/") { return path }
        guard let directory = getcwd(nil, 0) else { return nil }
        defer { free(directory) }
        return String(cString: directory) + "/" + (path.hasPrefix("./") ? path.dropFirst(2) : path[...])
    }

    private static func target(of link: String) -> String? {
        var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = bytes.withUnsafeMutableBytes { place in
            place.baseAddress.map { readlink(link, $0, place.count) } ?? -1
        }
        return count > 0 ? String(validating: bytes[..<count], as: UTF8.self) : nil
    }
}
