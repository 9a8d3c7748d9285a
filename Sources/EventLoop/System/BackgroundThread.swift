import Glibc

/// A thread that gives way to the loops (niceness 19), and takes no signals. Dispatch lends its
/// threads to every queue, so one of those could not be made to give way and then go on as before.
public enum BackgroundThread {
    /// Gets the error (`errno`) for which the thread does not give way to others; nil where it
    /// does.
    public typealias Body = @Sendable (_ refusal: CInt?) -> Void

    private final class Work: Sendable {
        let body: Body

        init(_ body: @escaping Body) { self.body = body }
    }

    /// - Returns: the error for which there is no thread, so that `body` never runs; nil where
    ///   there is one.
    public static func start(_ body: @escaping Body) -> CInt? {
        // SIGXFSZ too: a file at the limit of its size is an error of the write, and not the end of
        // the process.
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED))
        let work = Unmanaged.passRetained(Work(body))
        var thread = pthread_t()
        let code = pthread_create(
            &thread, &attributes,
            { argument in
                guard let argument else { return nil }
                let work = Unmanaged<Work>.fromOpaque(argument).takeRetainedValue()
                work.body(BackgroundThread.giveWay())
                return nil
            }, work.toOpaque())
        guard code != 0 else { return nil }
        work.release()
        return code
    }

    /// On Linux this is the thread's own, and no other's (setpriority(2)).
    private static func giveWay() -> CInt? {
        setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 19) == 0 ? nil : errno
    }
}
