// Finds the configuration that a command is about.

extension ConfigurationFile {
    /// Tried in this order where no `--config` is given.
    static let standardPaths = ["proxy.conf", "/etc/refrain/proxy.conf"]

    /// The file that is meant; nothing says yet that it can be read.
    static func chosen(
        by arguments: CommandArguments, _ context: CommandContext
    ) throws(CommandFailure) -> ConfigurationFile {
        if let path = arguments.value(.config) { return ConfigurationFile(named: path) }
        if let file = try standard(context) { return file }
        let places = standardPaths.joined(separator: " nor ")
        throw .badSetting("no configuration: neither \(places) exists; name one with --config FILE")
    }

    /// The first standard file that is there and that no other user can have written; nil where
    /// none is there. A line says which is passed over. A file that cannot be read is the one that
    /// is meant: its error must be seen.
    private static func standard(_ context: CommandContext) throws(CommandFailure) -> ConfigurationFile? {
        var refused: [String] = []
        for path in standardPaths where context.files.problem(path) != FileProblem.absent.message {
            guard let objection = context.files.distrust(path) else {
                for words in refused { context.output.problem(words) }
                return ConfigurationFile(found: path)
            }
            refused.append("\(path) is not used: \(objection); to use it anyway, name it with --config")
        }
        guard refused.isEmpty else { throw .configuration(refused.map { ConfigurationError(place: nil, message: $0) }) }
        return nil
    }

    /// The configuration of the running proxy that a command asks: `--config` or a standard file.
    /// Nil where there is none, or this user may not read it: the proxy may answer all the same.
    /// Faults of other lines do not matter here: they have not been adopted yet.
    static func ofRunningProxy(
        _ arguments: CommandArguments, _ context: CommandContext
    ) throws(CommandFailure) -> Configuration? {
        let file: ConfigurationFile
        if let path = arguments.value(.config) {
            file = ConfigurationFile(named: path)
        } else {
            guard let found = try standard(context) else { return nil }
            if let problem = context.files.problem(found.path) {
                context.output.problem(
                    "\(found.path) is not used: \(problem); asking the usual address (--admin names another)")
                return nil
            }
            file = found
        }
        return try ConfigurationReader.readForClients(file, files: context.files.withoutLooking)
    }
}

extension FileAccess {
    /// Reads configurations alone: the files that they name, such as secrets of another machine or
    /// user, need not be there.
    var withoutLooking: FileAccess {
        FileAccess(
            read: read, readFound: readFound, problem: { _ in nil }, secretProblem: { _, _ in nil },
            credentialsDirectory: credentialsDirectory ?? "/")
    }
}
