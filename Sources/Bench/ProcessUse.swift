import Foundation

/// What a process uses, as the kernel counts it: this one, where none is named.
enum ProcessUse {
    /// Resident memory in bytes.
    static var residentBytes: Int {
        let fields = (text("/proc/self/statm") ?? "").split(separator: " ")
        return fields.count > 1 ? (Int(fields[1]) ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE))) : 0
    }

    /// Nanoseconds on a processor so far, of all threads that another process has now.
    static func cpuNanoseconds(of process: Int32) -> Int {
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")) ?? []
        return threads.reduce(0) { sum, thread in
            let fields = (text("/proc/\(process)/task/\(thread)/schedstat") ?? "").split(separator: " ")
            return sum + (fields.first.flatMap { Int($0) } ?? 0)
        }
    }

    /// Bytes handed to write calls so far.
    static var writtenBytes: Int {
        for line in (text("/proc/self/io") ?? "").split(separator: "\n") where line.hasPrefix("wchar: ") {
            return Int(line.dropFirst(7)) ?? 0
        }
        return 0
    }

    /// Bytes of a cache file and everything beside it that belongs to it.
    static func diskBytes(of file: String) -> (total: Int, journal: Int) {
        let sizes = ["", "-wal", "-shm", "-journal"].map { suffix in
            var status = stat()
            return stat(file + suffix, &status) == 0 ? Int(status.st_size) : 0
        }
        return (sizes.reduce(0, +), sizes[1])
    }

    private static func text(_ path: String) -> String? {
        try? String(contentsOfFile: path, encoding: .utf8)
    }
}
