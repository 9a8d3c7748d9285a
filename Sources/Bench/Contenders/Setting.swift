/// How the servers of one measurement are set up. All of them get the same.
struct Setting: Equatable {
    /// Memory for answers, in MiB, where a server has a bound of its own for that.
    var memoryMiB = 1024
    var usesTLS = false
    /// Over TLS; Refrain speaks it there by itself.
    var usesHTTP2 = false
    /// Size of the answers' bodies.
    var bytes = 4096
    var entries = 100_000
    /// Connections to have room for at once; the descriptors that these leave may be open files.
    var clients = 10_000

    /// Answers up to this are read and written together; beyond, nginx is better off with sendfile
    /// (measured: 4 KiB 8.2 us of processor time without and 10.9 us with it; 64 KiB 19.0 and
    /// 14.8).
    private static let mostBytesRead = 16 << 10

    var usesSendfile: Bool { bytes > Self.mostBytesRead }
}
