import Foundation
import Simulator
import Text

// What a composed answer costs Refrain, beside the hit of an answer that the origin gave.
// Must hold: both are asked for the same targets, so that requests and answers have the same sizes;
// a run counts only if 99 in a hundred of its answers were composed, and none where nothing is to
// be composed.

/// Processor time a request, as ratios: a plain hit is 1.
enum ComposeBenchmark {
    private static let rounds = 3
    /// How often the same targets are asked for again.
    private static let repeats = 3
    /// What the first composed answer and the next one of the same may cost.
    private static let targets = (first: 3.0, again: 1.05)

    static func run() throws {
        let workspace = try Workspace()
        defer { workspace.remove() }
        let simulator = try Servers.simulator(workspace)
        defer { simulator.stop() }
        try Servers.waitFor(Servers.simulatorPort, "/v1/catalog/us/charts?types=albums&limit=1")
        report("compose: processor time a request, plain hit = 1, medians of \(rounds) rounds; one worker")
        report("                                    bytes   hit us    first    again     miss")
        for workload in try ComposeWorkload.all() {
            var (plain, composing): ([Costs], [Costs]) = ([], [])
            for _ in 0..<rounds {
                plain.append(try measure(workload, composes: false, workspace))
                composing.append(try measure(workload, composes: true, workspace))
            }
            report(line(workload, plain, composing))
        }
        report("  targets: first \(targets.first), again \(targets.again)")
    }

    /// Nanoseconds a request: where nothing is composed, the first is a miss and the next a plain
    /// hit.
    private struct Costs {
        let first: Double
        let again: Double
        let bytes: Int
    }

    private static func measure(_ workload: ComposeWorkload, composes: Bool, _ workspace: Workspace) throws -> Costs {
        let server = try SessionServers.refrain(
            workspace, "compose", lifetime: SessionServers.unlimited,
            "workers 1\n" + (composes ? "" : "compose off\nwindows off\nbatch off"))
        defer {
            server.stop()
            for suffix in ["", "-wal", "-shm", ".segments"] {
                try? FileManager.default.removeItem(atPath: workspace.path + "/compose.sqlite" + suffix)
            }
        }
        try Servers.waitFor(Servers.adminPort, "/healthz")
        let clients = (0..<connections).map { _ in TraceClient(port: Servers.refrainPort) }
        if composes { _ = try ask(workload.stored, clients, server) }
        let before = try composed()
        // What was stored goes to the file meanwhile.
        usleep(400_000)
        let first = try ask(workload.targets, clients, server)
        let count = try composed() - before
        guard composes ? count * 100 >= workload.targets.count * 99 : count == 0 else {
            throw BenchError("\(workload.name): \(count) of \(workload.targets.count) answers were composed")
        }
        usleep(400_000)
        let again = try (0..<repeats).map { _ in try ask(workload.targets, clients, server).nanoseconds }.median
        return Costs(first: first.nanoseconds, again: again, bytes: first.bytes)
    }

    private static let connections = 8

    /// Asks for all, over all connections at once, and says what a request cost the server.
    private static func ask(
        _ targets: [String], _ clients: [TraceClient], _ server: Child
    ) throws -> (nanoseconds: Double, bytes: Int) {
        let start = ProcessUse.cpuNanoseconds(of: server.identifier)
        var (bytes, index) = (0, 0)
        while index < targets.count {
            let turn = targets[index..<min(index + clients.count, targets.count)]
            for (client, target) in zip(clients, turn) { try client.ask(target) }
            for (client, target) in zip(clients, turn) {
                let answer = try client.answer()
                guard answer.status == 200 else { throw BenchError("\(answer.status) for \(target)") }
                bytes += answer.body.count
            }
            index = turn.endIndex
        }
        let used = ProcessUse.cpuNanoseconds(of: server.identifier) - start
        return (Double(used) / Double(targets.count), bytes / targets.count)
    }

    private static func composed() throws -> Int {
        let stats = try JSON.parse(try TraceClient(port: Servers.adminPort).get("/stats").body)
        guard let count = stats["composed"]?.intValue else { throw BenchError("/stats counts no composed answers") }
        return count
    }

    private static func line(_ workload: ComposeWorkload, _ plain: [Costs], _ composing: [Costs]) -> String {
        let hit = plain.map(\.again).median
        func ratio(_ cost: (Costs) -> Double) -> Double { zip(composing, plain).map { cost($0) / $1.again }.median }
        let name = workload.name.padding(toLength: 32, withPad: " ", startingAt: 0)
        return "  " + name
            + String(
                format: "%7d  %7.1f  %7.2f  %7.2f  %7.1f", plain[0].bytes, hit / 1000, ratio(\.first), ratio(\.again),
                plain.map(\.first).median / hit)
    }
}
