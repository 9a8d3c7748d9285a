// The program's interface to the system: signals, files, the environment. Tables for the man pages.

/// A name and its meaning, as a man page shows them (`.TP` of man(7)): a signal, a file, a
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

    /// The signals that the proxy acts upon.
    static let proxySignals = [
        TaggedParagraph(
            "TERM, INT",
            "drain: accept no new connections, finish running requests, then stop; a second signal stops at once"),
        TaggedParagraph(
            "HUP", "read and check the configuration, then apply it, or log its errors and change nothing"),
        TaggedParagraph("USR1", "reopen the access log and the recording after a rotation"),
        TaggedParagraph(
            "USR2",
            "start the program again from its path, pass it the listening sockets, and finish running requests once "
                + "the new process serves; continue if it does not"),
    ]

    /// Files with a place of their own.
    static let files = [
        TaggedParagraph(
            ConfigurationFile.standardPaths[0],
            "the configuration, in the working directory, if no other user could have written it"),
        TaggedParagraph(ConfigurationFile.standardPaths[1], "the configuration if the first is absent or not used"),
        TaggedParagraph(
            "refrain.sqlite",
            "the cache (cache_file); next to it its log, -wal and -shm, and the content of answers, .segments"),
        TaggedParagraph("/var/lib/refrain", "the working directory of the systemd service"),
    ]

    /// Variables that are looked at.
    static let environment = [
        TaggedParagraph(
            "CREDENTIALS_DIRECTORY", "directory of the files of LoadCredential= (systemd.exec(5))"),
        TaggedParagraph("LISTEN_FDS, LISTEN_PID", "sockets passed by systemd (sd_listen_fds(3))"),
        TaggedParagraph("REFRAIN_UPGRADE", "set by a proxy for the process that replaces it"),
        TaggedParagraph("NOTIFY_SOCKET, WATCHDOG_USEC", "where the proxy reports its status (sd_notify(3))"),
        TaggedParagraph("SSL_CERT_FILE, SSL_CERT_DIR", "trust anchors instead of the system's"),
    ]
}
