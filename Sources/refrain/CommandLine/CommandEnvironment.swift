// What the program shares with the system: signals, files, the environment. Tables for the man
// pages.

/// A signal and what it means to a running command.
struct ProgramSignal: Sendable {
    let name: String
    let meaning: String

    static let stopping = [ProgramSignal(name: "TERM, INT", meaning: "stop")]

    /// All that the proxy listens to.
    static let table = [
        ProgramSignal(
            name: "TERM, INT",
            meaning: "drain: no new connections, requests in hand are finished, then stop; a second one stops at once"),
        ProgramSignal(
            name: "HUP",
            meaning: "read and check the configuration, and go over to it, or say what is wrong and change nothing"),
        ProgramSignal(name: "USR1", meaning: "reopen the access log, after a rotation"),
    ]
}

/// A file with a place of its own.
struct ProgramFile: Sendable {
    let path: String
    let meaning: String

    static let table = [
        ProgramFile(path: ConfigurationFile.standardPaths[0], meaning: "the configuration, in the working directory"),
        ProgramFile(path: ConfigurationFile.standardPaths[1], meaning: "the configuration where the first is absent"),
        ProgramFile(path: "refrain.sqlite", meaning: "the cache (cache_file), and beside it its log, -wal and -shm"),
        ProgramFile(path: "/var/lib/refrain", meaning: "the working directory of the systemd service"),
    ]
}

/// A variable of the environment that is looked at.
struct EnvironmentVariable: Sendable {
    let name: String
    let meaning: String

    static let table = [
        EnvironmentVariable(
            name: "CREDENTIALS_DIRECTORY",
            meaning: "where systemd has put the files of LoadCredential= (systemd.exec(5))"),
        EnvironmentVariable(
            name: "LISTEN_FDS, LISTEN_PID", meaning: "sockets handed over by systemd (sd_listen_fds(3))"),
        EnvironmentVariable(
            name: "NOTIFY_SOCKET, WATCHDOG_USEC", meaning: "who is told how the proxy fares (sd_notify(3))"),
        EnvironmentVariable(name: "SSL_CERT_FILE, SSL_CERT_DIR", meaning: "trust anchors instead of the system's"),
        EnvironmentVariable(name: "NO_COLOR", meaning: "no colours in tables"),
    ]
}
