import EventLoop
import Foundation

/// What all measurements share: the origin, a folder for files, a certificate, how often and how
/// long.
///
/// What must hold: servers that are compared run at the same time and are measured in turns; all
/// are stopped and their files removed when a measurement ends, also by an error.
final class Lab {
    let plan: RoundPlan
    let workspace: Workspace
    let certificate: Certificate
    private var startedOrigin: RunningServer?
    private var started = 0

    struct Certificate {
        let file: String
        let keyFile: String
        let authorityPEM: String
    }

    init(_ plan: RoundPlan) throws {
        _ = FileDescriptors.limit
        self.plan = plan
        workspace = try Workspace()
        let authority = try ThrowawayAuthority()
        let leaf = try authority.issue(hosts: ["127.0.0.1"])
        certificate = Certificate(
            file: try workspace.write(leaf.certificatePEM, to: "certificate.pem"),
            keyFile: try workspace.write(leaf.keyPEM, to: "key.pem"), authorityPEM: authority.certificatePEM())
        chmod(certificate.keyFile, 0o600)
        do {
            startedOrigin = try startOwn("origin", [])
        } catch {
            workspace.remove()
            throw error
        }
    }

    func close() {
        startedOrigin?.stop()
        workspace.remove()
    }

    var origin: RunningServer {
        guard let startedOrigin else { preconditionFailure("the origin runs as long as the lab is open") }
        return startedOrigin
    }

    /// How many songs the origin has answered so far.
    func originRequests() throws -> Int {
        let answer = try TraceClient(port: origin.ports.clients).get(OriginServer.countPath)
        guard let count = Int(String(decoding: answer.body, as: UTF8.self)) else {
            throw BenchError("the origin does not say how much it was asked")
        }
        return count
    }

    /// Starts those that are installed, hands them on in the same order, and stops them.
    func running<R>(
        _ contenders: [Contender], _ setting: Setting = Setting(), _ body: ([RunningServer]) throws -> R
    ) throws -> R {
        try running(contenders.filter { !setting.usesTLS || $0.speaksTLS }.map { ($0, setting) }, body)
    }

    /// The same with a setting for each.
    func running<R>(_ contenders: [(Contender, Setting)], _ body: ([RunningServer]) throws -> R) throws -> R {
        var servers: [RunningServer] = []
        defer { for server in servers { server.stop() } }
        for (contender, setting) in contenders {
            if let server = try start(contender, setting) { servers.append(server) }
        }
        return try body(servers)
    }

    /// nil where it is not installed.
    func start(_ contender: Contender, _ setting: Setting, as name: String? = nil) throws -> RunningServer? {
        guard let path = contender.path else { return nil }
        let (folder, ports) = try place(contender.name)
        let arguments = try contender.arguments(folder, ports, setting, self)
        return try launch(name ?? contender.name, path, arguments, ports, folder, usesTLS: setting.usesTLS)
    }

    /// A server that is a part of this program.
    func startOwn(_ name: String, _ arguments: [String]) throws -> RunningServer {
        let (folder, ports) = try place(name)
        return try launch(name, Programs.bench, [Role.word, name, "\(ports.clients)"] + arguments, ports, folder)
    }

    private func place(_ name: String) throws -> (String, ServerPorts) {
        started += 1
        let folder = workspace.path + "/\(name)-\(started)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        return (folder, ServerPorts(clients: try Ports.free(), probe: try Ports.free()))
    }

    private func launch(
        _ name: String, _ path: String, _ arguments: [String], _ ports: ServerPorts, _ folder: String,
        usesTLS: Bool = false
    ) throws -> RunningServer {
        let child = try Child(path, arguments, log: folder + "/log")
        let server = RunningServer(name: name, child: child, ports: ports, usesTLS: usesTLS, folder: folder)
        do {
            try server.waitUntilReady()
        } catch {
            server.stop()
            throw error
        }
        return server
    }
}
