extension Command {
    static let serve = Command("serve", "run the proxy in the foreground", options: [.config]) {
        arguments, context throws(CommandFailure) in
        let path = try ConfigurationFile.path(arguments, context.files)
        let effective = try ConfigurationFile.read(path, context.files)
        return try runServe(effective, path: path, context)
    }
}
