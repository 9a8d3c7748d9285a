import EventLoop
import Glibc

/// The system's figures of this process, as every Prometheus client names them. Figures that cannot
/// be read are nil.
struct ProcessFigures: Sendable, Equatable {
    var cpuSeconds: Double?
    var residentBytes: Int?
    var virtualBytes: Int?
    var threads: Int?
    /// Unix seconds.
    var startedAt: Double?
    var openDescriptors: Int?
    var mostDescriptors: Int?

    /// Figures as of now.
    static var current: ProcessFigures {
        var figures = ProcessFigures()
        let stat = String(decoding: KernelFile.read("/proc/self/stat") ?? [], as: UTF8.self)
        figures.read(stat: stat, bootedAt: seconds(CLOCK_REALTIME) - seconds(CLOCK_BOOTTIME))
        // But for the one that listing opens.
        figures.openDescriptors = (try? Folder.names(in: "/proc/self/fd")).map { $0.count - 1 }
        var limit = rlimit()
        if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 {
            figures.mostDescriptors = Int(clamping: limit.rlim_cur)
        }
        return figures
    }

    /// Takes the figures out of /proc/self/stat (proc_pid_stat(5)).
    /// - Parameter bootedAt: when the system started, in Unix seconds. By the clocks, because a
    ///   service manager may hide every file in /proc that is not of a process.
    mutating func read(
        stat: String, bootedAt: Double, ticks: Double = Double(sysconf(Int32(_SC_CLK_TCK))),
        pageBytes: Int = sysconf(Int32(_SC_PAGESIZE))
    ) {
        // The name, in parentheses, may hold anything.
        guard let end = stat.lastIndex(of: ")") else { return }
        let fields = stat[stat.index(after: end)...].split(separator: " ")
        // The third field of the manual page is the first here.
        guard fields.count > 21, let user = Double(fields[11]), let system = Double(fields[12]) else { return }
        cpuSeconds = (user + system) / ticks
        threads = Int(fields[17])
        virtualBytes = Int(fields[20])
        residentBytes = Int(fields[21]).map { $0 * pageBytes }
        startedAt = Double(fields[19]).map { bootedAt + $0 / ticks }
    }

    private static func seconds(_ clock: clockid_t) -> Double {
        var now = timespec()
        clock_gettime(clock, &now)
        return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
    }
}
