extension Command {
    static let serve = Command(
        "serve", "run the proxy in the foreground", options: [.config],
        details: [
            "It listens on the addresses of listen and admin_listen, or on the sockets that systemd passes (see "
                + "systemd.socket(5)). It logs to standard error; access_log writes to standard output. proxy.conf(5) "
                + "describes the configuration."
        ],
        examples: [
            .init("refrain serve --config proxy.conf", "runs with this file"),
            .init("systemctl reload refrain", "reloads the configuration of a proxy that runs as a service"),
        ],
        signals: TaggedParagraph.proxySignals
    ) { arguments, context throws(CommandFailure) in
        let file = try ConfigurationFile.chosen(by: arguments, context)
        let effective = try ConfigurationReader.read(file, files: context.files)
        return try runServe(effective, of: file, context)
    }
}
