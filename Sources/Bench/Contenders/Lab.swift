import EventLoop
import Foundation
import Text

/// The origin, files, certificate and plan that all measurements share.
///
/// Must hold: servers that are compared run at the same time and are measured in turns; all
/// are stopped and their files removed when a measurement ends, also by an error.
final class Lab {
    let plan: RoundPlan
    let workspace: Workspace
    let certificate: (file: String, keyFile: String, authorityPEM: String)
    private var startedOrigin: RunningServer?
    private var started = 0

    init(_ plan: RoundPlan) throws {
        _ = FileDescriptors.limit
        self.plan = plan
        workspace = try Workspace()
        let authority = try ThrowawayAuthority()
        let leaf = try authority.issue(hosts: ["127.0.0.1"])
        certificate = (
            try workspace.write(leaf.certificatePEM, to: "certificate.pem"),
            try workspace.write(leaf.keyPEM, to: "key.pem"), authority.certificatePEM()
        )
        chmod(certificate.keyFile, 0o600)
        do {
            let (folder, ports) = try place(OriginServer.role)
            startedOrigin = try launch(
                OriginServer.role, Programs.bench, [OriginServer.role, "\(ports.clients)"], ports, folder)
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

    func originRequests() throws -> Int {
        let answer = try BlockingClient(port: origin.ports.clients).get(OriginServer.countPath)
        guard let count = Int(String(decoding: answer.body, as: UTF8.self)) else {
            throw BenchError("the origin does not say how much it was asked")
        }
        return count
    }

    /// Starts those that are installed, hands them on in the same order, and stops them.
    func running<R>(
        _ contenders: [Contender], _ setting: Setting = Setting(), _ body: ([RunningServer]) throws -> R
    ) throws -> R {
        var servers: [RunningServer] = []
        defer { for server in servers { server.stop() } }
        for contender in contenders where !setting.usesTLS || contender.speaksTLS {
            if let server = try start(contender, setting) { servers.append(server) }
        }
        return try body(servers)
    }

    /// nil where it is not installed.
    private func start(_ contender: Contender, _ setting: Setting) throws -> RunningServer? {
        guard let path = contender.path else { return nil }
        let (folder, ports) = try place(contender.name)
        let arguments = try contender.arguments(folder, ports, setting, self)
        return try launch(contender.name, path, arguments, ports, folder, usesTLS: setting.usesTLS)
    }

    private func place(_ name: String) throws -> (String, ServerPorts) {
        started += 1
        let folder = workspace.path + "/\(name)-\(started)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        return (folder, ServerPorts(clients: try Ports.free(), probe: try Ports.free(), plain: try Ports.free()))
    }

    private func launch(
        _ name: String, _ path: String, _ arguments: [String], _ ports: ServerPorts, _ folder: String,
        usesTLS: Bool = false
    ) throws -> RunningServer {
        let child = try Child(path, arguments, log: folder + "/log")
        let server = RunningServer(name: name, ports: ports, usesTLS: usesTLS, child: child, folder: folder)
        do {
            try server.waitUntilReady()
        } catch {
            server.stop()
            throw error
        }
        return server
    }
}

// One server under load, and the check that the origin was asked as often as the measurement says.

/// How much of the load the origin has to see.
enum OriginShare: Equatable {
    /// Every request is answered from stored answers.
    case none
    /// Every request reaches it.
    case all

    /// Why a run is no such measurement; nil where it is. Requests that wrk had not seen answered
    /// at its end, one for each connection, may have reached the origin.
    func objection(asked: Int, requests: Int, connections: Int) -> String? {
        guard self == .all else {
            return asked == 0 ? nil : "the origin was asked \(asked) times for \(requests) hits"
        }
        guard abs(asked - requests) > connections + requests / 100 else { return nil }
        return "the origin was asked \(asked) times for \(requests) misses"
    }
}

extension Lab {
    /// One run of wrk against one server, with the processor time of the server.
    func sample(
        _ server: RunningServer, _ target: String, connections: Int, script: [String] = [],
        origin: OriginShare = .none, settle: () throws -> Void = {}
    ) throws -> Sample {
        let (asked, start) = (try originRequests(), server.cpuNanoseconds)
        let result = try WrkResult.measure(
            server.url(target), connections: connections, seconds: plan.seconds, script: script)
        try settle()
        let used = server.cpuNanoseconds - start
        guard result.errors == 0, result.requests > 0 else {
            throw BenchError("\(server.name): \(result.errors) of \(result.requests) requests failed")
        }
        if let objection = origin.objection(
            asked: try originRequests() - asked, requests: result.requests, connections: connections)
        {
            throw BenchError("\(server.name): \(objection)")
        }
        return Sample(
            requestsPerSecond: result.requestsPerSecond, p50: result.p50, p99: result.p99,
            cpuPerRequest: Double(used) / Double(result.requests) / 1000)
    }

    /// All servers in turns, as often as planned.
    func rounds(_ servers: [RunningServer], _ measure: (RunningServer, _ round: Int) throws -> Sample) throws -> Rounds
    {
        var rounds = Rounds()
        for round in 0..<plan.rounds {
            for server in servers { rounds.append(try measure(server, round), of: server.name) }
        }
        return rounds
    }

    /// Lets every server fetch the target, and makes sure that it then says that it hits.
    func warm(_ servers: [RunningServer], _ target: String) throws {
        for server in servers {
            _ = try server.saysHit(target)
            guard try server.saysHit(target) else { throw BenchError("\(server.name) does not store \(target)") }
        }
    }

    /// Stores these answers in a server: asks for all of them until it asks the origin for none.
    func fill(_ server: RunningServer, _ targets: [String]) throws {
        for _ in 0..<4 {
            let before = try originRequests()
            var rest = targets[...]
            while !rest.isEmpty {
                _ = try Load.run(rest.prefix(50_000), port: server.ports.clients, connections: 64)
                rest = rest.dropFirst(50_000)
                // The file's writer may drop answers that come faster than the disk.
                if server.name == Contender.refrain.name { try settle(server) }
            }
            if try originRequests() == before { return }
        }
        throw BenchError("\(server.name) does not keep \(targets.count) answers")
    }

    /// Waits until Refrain's writer has nothing left to do.
    func settle(_ server: RunningServer) throws {
        var (written, quiet) = (-1, 0)
        while quiet < 3 {
            usleep(50_000)
            let now = try statistic("store_written", of: server)
            quiet = now == written ? quiet + 1 : 0
            written = now
        }
    }

    /// A counter of Refrain's.
    func statistic(_ name: String, of server: RunningServer) throws -> Int {
        let stats = try JSON.parse(try BlockingClient(port: server.ports.probe).get("/stats").body)
        guard let value = stats[name]?.intValue else { throw BenchError("/stats has no \(name)") }
        return value
    }
}
