import Glibc
import Synchronization

/// A trial of as many threads as the process needs, before the first of them is needed.
enum ThreadRehearsal {
    private final class End: Sendable {
        /// Until all threads are there.
        let isHeld = Mutex(())
    }

    /// Starts `count` threads at once, then ends and joins them.
    /// - Parameter bytes: memory that is mapped meanwhile; nil for none.
    /// - Returns: the error for which they cannot all be started; nil if they can.
    static func run(_ count: Int, beside bytes: Int?) -> CInt? {
        let memory = bytes.flatMap { mmap(nil, $0, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) }
        if memory == MAP_FAILED { return errno }
        defer { if let memory, let bytes { munmap(memory, bytes) } }
        let end = End()
        var threads: [pthread_t] = []
        defer { for thread in threads { pthread_join(thread, nil) } }
        return end.isHeld.withLock { _ in
            for _ in 0..<count {
                let (thread, code) = start(end)
                guard code == 0 else { return code }
                threads.append(thread)
            }
            return nil
        }
    }

    private static func start(_ end: End) -> (pthread_t, CInt) {
        let argument = Unmanaged.passRetained(end)
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<End>.fromOpaque(argument).takeRetainedValue().isHeld.withLock { _ in }
                return nil
            }, argument.toOpaque())
        if code != 0 { argument.release() }
        return (thread, code)
    }
}
