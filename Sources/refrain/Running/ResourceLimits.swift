import Glibc
import Proxy
import Store
import Text

// Threads, descriptors and memory, before the first of them is needed: Dispatch retries silently
// for as long as `pthread_create` fails, and signals are not handled meanwhile; so the start tries
// first.

/// Limits of this process (getrlimit(2), cgroups(7)).
struct ResourceLimits {
    /// Descriptors, once the limit is raised.
    var descriptors = DescriptorLimit.most
    /// Bytes of address space; nil where there is no limit.
    var addressBytes = Self.addressBytes
    /// Bytes that the control group may take; nil where there is no limit.
    var memoryBytes = MachineShare.ofThisProcess.memoryBytes
    /// Starts that many threads at once, beside that much memory, then ends them. Returns the error
    /// for which it cannot.
    var rehearse: (_ threads: Int, _ bytes: Int?) -> CInt? = ThreadRehearsal.run

    static var addressBytes: Int? {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0, limit.rlim_cur < UInt64(Int.max) else {
            return nil
        }
        return Int(limit.rlim_cur)
    }
}

extension Configuration {
    /// Threads beside the loops and the main thread: signals, the writers of the cache, of the
    /// access log and of a recording, a look-up of a name, a reload, Dispatch's own.
    private static let otherThreads = 7
    /// Dispatch, on whose threads loops run, starts no more.
    private static let mostLoopThreads = 255
    /// Descriptors beside those of the loops: the cache, the logs, Dispatch's own.
    private static let otherDescriptors = 16
    /// Descriptors of a loop without its listeners.
    private static let loopDescriptors = 3

    /// Why the proxy cannot begin under these limits; nil where it can.
    func shortage(under limits: ResourceLimits) -> String? {
        let listeners = listeners.count + (adminListener == nil ? 0 : 1)
        let descriptors = Self.otherDescriptors + loopCount * (Self.loopDescriptors + listeners)
        guard limits.descriptors >= descriptors else {
            let loops = loopCount == 1 ? "1 loop needs" : "\(loopCount) loops need"
            return "\(loops) \(descriptors) descriptors, and the limit is \(limits.descriptors); "
                + "raise the hard limit (ulimit -Hn, LimitNOFILE), or lower workers"
        }
        let otherLoops = (adminListener == nil ? 0 : 1) + (sharedTier == nil ? 0 : 1)
        let threads = min(loopCount, Self.mostLoopThreads) + otherLoops + Self.otherThreads
        // Memory that a busy proxy takes in any case.
        let bytes = limits.addressBytes.map { _ in
            ProxyMemory.programBytes + AllocatorSettings.arenaBytes + memorySize
        }
        guard let code = limits.rehearse(threads, bytes) else { return nil }
        let memory = bytes.map { " with \(Figure.bytes($0)) of memory" } ?? ""
        return "cannot start \(threads) threads\(memory): \(String(cString: strerror(code))); raise the limit on "
            + "processes (ulimit -u, pids.max, TasksMax) or on addresses (ulimit -v), or lower workers or memory_size"
    }

    /// Settings that allow more than these limits do.
    func resourceWarnings(_ limits: ResourceLimits) -> [String] {
        var words: [String] = []
        if let workers, workers > loopCount {
            let loops = loopCount == 1 ? "1 loop runs" : "\(loopCount) loops run"
            words.append("workers \(workers): only \(loops), one for each of upstream_connections")
        }
        if let cacheFile, let used = StoreForecast.excess(cacheFile, over: cacheSize) {
            words.append(
                "cache_size \(Figure.bytes(cacheSize)): \(cacheFile) takes \(Figure.bytes(used)) now; the least "
                    + "recently used answers are evicted until it fits")
        }
        let most = memoryBounds.sum
        let bounds = [
            (limits.memoryBytes, "its control group (memory.max, MemoryMax)", "the kernel kills the process"),
            (limits.addressBytes, "its address space (ulimit -v)", "allocations fail"),
        ]
        for case (let bytes?, let name, let consequence) in bounds where most > bytes {
            words.append(
                "the settings allow \(Figure.bytes(most)) of memory, \(name) only \(Figure.bytes(bytes)): "
                    + "\(consequence) beyond that; \"refrain check\" lists the memory of each setting")
        }
        return words
    }
}
