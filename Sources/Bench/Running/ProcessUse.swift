import Foundation

enum ProcessUse {
    /// The proportional set size of another process in bytes: a page that several processes have
    /// counts for each of them by its share, so that their sum is the memory of all together. nil
    /// where the kernel does not say.
    static func proportionalBytes(of process: Int32) -> Int? {
        text("/proc/\(process)/smaps_rollup").flatMap(proportionalBytes(in:))
    }

    static func proportionalBytes(in rollup: String) -> Int? {
        for line in rollup.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count == 3, words[0] == "Pss:", words[2] == "kB" else { continue }
            return Int(words[1]).map { $0 * 1024 }
        }
        return nil
    }

    /// A process and all that descend from it.
    static func tree(_ process: Int32) -> [Int32] {
        let children = threads(of: process).flatMap { thread in
            (text("/proc/\(process)/task/\(thread)/children") ?? "").split(separator: " ").compactMap { Int32($0) }
        }
        return [process] + children.flatMap(tree)
    }

    /// Nanoseconds on a processor so far, of all threads that another process has now.
    static func cpuNanoseconds(of process: Int32) -> Int {
        threads(of: process).reduce(0) { sum, thread in
            let fields = (text("/proc/\(process)/task/\(thread)/schedstat") ?? "").split(separator: " ")
            return sum + (fields.first.flatMap { Int($0) } ?? 0)
        }
    }

    private static func threads(of process: Int32) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")) ?? []
    }

    private static func text(_ path: String) -> String? {
        try? String(contentsOfFile: path, encoding: .utf8)
    }
}
