/// How the servers of one measurement are set up. All of them get the same, but for what is each
/// one's own to choose: `Knob` says what that is.
struct Setting: Equatable {
    /// Memory for answers, in MiB, where a server has a bound of its own for that.
    var memoryMiB = 1024
    var usesTLS = false
    /// Whether clients want gzip, of answers that the origin gives without.
    var codesGzip = false
    /// Of the answers' bodies.
    var bytes = 4096
    /// Entries to have room for.
    var entries = 100_000
    /// Connections to have room for at once; the descriptors that these leave may be open files.
    var clients = 10_000

    /// Loops or worker processes of Refrain and nginx; nil for one a core.
    var workers: Int?
    /// Of nginx.
    var fileAccess = FileAccess.read
    /// Of nginx, for answers that are passed through.
    var passing = Passing.buffered
    /// Of Varnish.
    var threadPools = 2

    /// How nginx sends what is in its files.
    enum FileAccess: String, CaseIterable {
        /// Heads and bodies together, with `sendfile off`.
        case read = "sendfile off"
        case sendfile = "sendfile on"
        /// Read and written by threads, so that a worker never waits for the disk.
        case threads = "aio threads"
    }

    /// How nginx passes on what it does not keep.
    enum Passing: String, CaseIterable {
        /// As much as its buffers hold is read ahead of the client.
        case buffered = "proxy_buffering on"
        case unbuffered = "proxy_buffering off"
    }

    func with(workers: Int) -> Setting {
        var copy = self
        copy.workers = workers
        return copy
    }
}
