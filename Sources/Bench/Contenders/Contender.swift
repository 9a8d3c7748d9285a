import Foundation

/// A server that is measured, configured as its experts would for a measurement: no access log,
/// connections that stay open, the origin's freshness overruled.
struct Contender: Equatable {
    let name: String
    /// The program; nil for those of this project.
    let program: String?
    let speaksTLS: Bool

    static let refrain = Contender(name: Rounds.ours, program: nil, speaksTLS: true)
    static let nginx = Contender(name: "nginx", program: "nginx", speaksTLS: true)
    static let varnish = Contender(name: "varnish", program: "varnishd", speaksTLS: false)
    static let all = [refrain, nginx, varnish]

    /// Whether nginx, where it is installed, was built with HTTP/2.
    static let nginxHasHTTP2 =
        nginx.path.flatMap { try? Child.output(of: $0, ["-V"]) }?.contains("--with-http_v2_module") ?? false

    /// Where it is installed; nil where it is not.
    var path: String? { program.map { Child.find($0) } ?? Programs.refrain }

    /// Its command line, with its files written to `folder`.
    func arguments(_ folder: String, _ ports: ServerPorts, _ setting: Setting, _ lab: Lab) throws -> [String] {
        let file = folder + "/configuration"
        let (text, arguments) =
            switch self.name {
            case Self.nginx.name: (Configurations.nginx(folder, ports, setting, lab), ["-c", file, "-p", folder])
            case Self.varnish.name:
                try (
                    Configurations.varnish(lab),
                    Configurations.varnishArguments(folder, file, ports, setting)
                )
            default: (Configurations.refrain(folder, ports, setting, lab), ["serve", "--config", file])
            }
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        return arguments
    }
}

/// Where a server listens: for the clients that are measured; for questions about its state; and
/// without TLS, to ask whether something is stored.
struct ServerPorts: Equatable {
    let clients: Int
    let probe: Int
    let plain: Int
}
