/// Finds the configuration that a command is about.
enum ConfigurationFile {
    /// Tried in this order where no `--config` is given.
    static let standardPaths = ["proxy.conf", "/etc/refrain/proxy.conf"]

    /// The file that is meant; nothing says yet that it can be read.
    static func path(_ arguments: CommandArguments, _ files: FileAccess) throws(CommandFailure) -> String {
        if let path = arguments.value(.config) { return path }
        guard let path = standardPath(files) else {
            let places = standardPaths.joined(separator: " nor ")
            throw .badSetting("no configuration: neither \(places) exists; name one with --config FILE")
        }
        return path
    }

    /// A standard file that is there but cannot be read is the one that is meant: its error must be
    /// seen.
    private static func standardPath(_ files: FileAccess) -> String? {
        standardPaths.first { files.problem($0) != FileProblem.absent.message }
    }

    /// The configuration of the running proxy that a command asks: `--config` or a standard file.
    /// Nil where there is none, or this user may not read it: the proxy may answer all the same.
    /// Faults of other lines do not matter here: they have not been adopted yet.
    static func ofRunningProxy(
        _ arguments: CommandArguments, _ files: FileAccess
    ) throws(CommandFailure) -> Configuration? {
        if arguments.value(.config) == nil {
            guard let path = standardPath(files), files.problem(path) == nil else { return nil }
        }
        return try ConfigurationReader.readForClients(path(arguments, files), files: files.withoutLooking)
    }
}

extension FileAccess {
    /// Reads configurations alone: the files that they name, such as secrets of another machine or
    /// user, need not be there.
    var withoutLooking: FileAccess {
        FileAccess(
            read: read, problem: { _ in nil }, secretProblem: { _, _ in nil },
            credentialsDirectory: credentialsDirectory ?? "/")
    }
}
