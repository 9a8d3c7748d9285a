extension Command {
    static let serve = Command(
        "serve", "run the proxy in the foreground", options: [.config],
        details: [
            "It listens where listen and admin_listen say, or on the sockets that systemd hands over (see systemd.socket(5)), and logs "
                + "to standard error; access_log goes to standard output. proxy.conf(5) describes the configuration."
        ],
        examples: [
            .init("refrain serve --config proxy.conf", "runs with this file"),
            .init("systemctl reload refrain", "lets a proxy that runs as a service go over to a changed file"),
        ],
        signals: TaggedParagraph.proxySignals
    ) { arguments, context throws(CommandFailure) in
        let path = try ConfigurationFile.path(arguments, context.files)
        let effective = try ConfigurationFile.read(path, context.files)
        return try runServe(effective, path: path, context)
    }
}
