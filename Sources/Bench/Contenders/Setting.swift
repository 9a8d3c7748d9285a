/// How the servers of one measurement are set up. All of them get the same, but for what is each
/// one's own to choose: `Knob` says what that is.
struct Setting: Equatable {
    /// Memory for answers, in MiB, where a server has a bound of its own for that.
    var memoryMiB = 1024
    var usesTLS = false
    /// Over TLS; Refrain speaks it there by itself.
    var usesHTTP2 = false
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
    /// Of nginx; nil for what does best with answers of such a size, where nothing is chosen.
    var fileAccess: FileAccess?
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

    /// Answers up to this are read and written together; beyond, nginx is better off with sendfile
    /// (measured: 4 KiB 8.2 us of processor time without and 10.9 us with it; 64 KiB 19.0 and
    /// 14.8).
    private static let mostBytesRead = 16 << 10

    /// The way that is used.
    var effectiveFileAccess: FileAccess {
        fileAccess ?? (bytes > Self.mostBytesRead ? .sendfile : .read)
    }
}
