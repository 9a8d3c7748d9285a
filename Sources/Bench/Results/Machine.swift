import Foundation

struct Machine {
    let processor: String
    let cores: Int
    let memoryMiB: Int
    let kernel: String
    /// Name and version of each program that has a part in it; those that are not installed say so.
    let programs: [(name: String, version: String)]
    /// Average of the last minute, when the run began.
    var loadAverage = 0.0

    static func current() -> Machine {
        Machine(
            processor: value(of: "model name", in: text("/proc/cpuinfo")) ?? "unknown",
            cores: ProcessInfo.processInfo.activeProcessorCount,
            memoryMiB: Int(ProcessInfo.processInfo.physicalMemory >> 20),
            kernel: text("/proc/sys/kernel/osrelease").trimmingCharacters(in: .whitespacesAndNewlines),
            programs: [
                ("swift", version(of: "swift", "--version")), ("nginx", version(of: "nginx", "-v")),
                ("varnish", version(of: "varnishd", "-V")), ("wrk", version(of: "wrk", "-v")),
                ("h2load", version(of: "h2load", "--version")),
                ("openssl", version(of: "openssl", "version")),
            ], loadAverage: text("/proc/loadavg").split(separator: " ").first.flatMap { Double($0) } ?? 0)
    }

    var lines: [String] {
        [
            "\(processor), \(cores) cores, \(memoryMiB) MiB, Linux \(kernel)",
            programs.map { "\($0.name): \($0.version)" }.joined(separator: "; "),
        ] + (warning.map { [$0] } ?? [])
    }

    /// Where more ran than one process on every second core, which the servers would have to share
    /// with it. A build that has just ended still counts for a minute or two.
    var warning: String? {
        guard loadAverage * 2 > Double(cores) else { return nil }
        return "WARNING: the load average was \(ResultsTable.fixed(loadAverage, 1)) on \(cores) cores when this began. "
            + "Where that was more than a build which had just ended, other work was running, and the figures mean little"
    }

    /// A line "name : value" of a file in /proc.
    static func value(of name: String, in text: String) -> String? {
        for line in text.split(separator: "\n") where line.hasPrefix(name) {
            let parts = line.split(separator: ":", maxSplits: 1)
            if parts.count == 2 { return parts[1].trimmingCharacters(in: .whitespaces) }
        }
        return nil
    }

    /// The number in the version that a program prints, such as "nginx version: nginx/1.22.1".
    static func version(in text: String) -> String? {
        let words = text.split { " \n\t/-()".contains($0) }
        return words.map(String.init).first { word in
            word.first?.isNumber == true && word.contains(".") && word.dropFirst().contains { $0.isNumber }
        }
    }

    private static func version(of name: String, _ argument: String) -> String {
        guard let path = Child.find(name), let text = try? Child.output(of: path, [argument]) else {
            return "not installed"
        }
        return version(in: text) ?? "unknown"
    }

    private static func text(_ path: String) -> String {
        (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    }
}
