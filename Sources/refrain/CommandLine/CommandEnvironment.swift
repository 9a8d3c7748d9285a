// The program's interface to the system: signals, files, the environment. Tables for the man pages.

/// A name and what it means, as a man page shows them (`.TP` of man(7)): a signal, a file, a
/// variable of the environment, or a command line that is an example.
struct TaggedParagraph: Sendable {
    let name: String
    let meaning: String

    init(_ name: String, _ meaning: String) {
        self.name = name
        self.meaning = meaning
    }

    /// Signals of a command that runs until it is stopped.
    static let stopSignals = [TaggedParagraph("TERM, INT", "stop")]

    /// All that the proxy listens to.
    static let proxySignals = [
        TaggedParagraph(
            "TERM, INT",
            "drain: no new connections, requests in hand are finished, then stop; a second one stops at once"),
        TaggedParagraph(
            "HUP", "read and check the configuration, and go over to it, or say what is wrong and change nothing"),
        TaggedParagraph("USR1", "reopen the access log, after a rotation"),
        TaggedParagraph(
            "USR2",
            "start the program anew from its path, hand it the listening sockets, and finish what is in hand once it "
                + "serves; go on where it does not"),
    ]

    /// Files with a place of their own.
    static let files = [
        TaggedParagraph(ConfigurationFile.standardPaths[0], "the configuration, in the working directory"),
        TaggedParagraph(ConfigurationFile.standardPaths[1], "the configuration where the first is absent"),
        TaggedParagraph(
            "refrain.sqlite",
            "the cache (cache_file), and beside it its log, -wal and -shm, and what the answers say, .segments"),
        TaggedParagraph("/var/lib/refrain", "the working directory of the systemd service"),
    ]

    /// Variables that are looked at.
    static let environment = [
        TaggedParagraph(
            "CREDENTIALS_DIRECTORY", "where systemd has put the files of LoadCredential= (systemd.exec(5))"),
        TaggedParagraph("LISTEN_FDS, LISTEN_PID", "sockets handed over by systemd (sd_listen_fds(3))"),
        TaggedParagraph("REFRAIN_UPGRADE", "set by a proxy for the process that is to take its place"),
        TaggedParagraph("NOTIFY_SOCKET, WATCHDOG_USEC", "who is told how the proxy fares (sd_notify(3))"),
        TaggedParagraph("SSL_CERT_FILE, SSL_CERT_DIR", "trust anchors instead of the system's"),
    ]
}
