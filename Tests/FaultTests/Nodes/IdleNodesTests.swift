import Foundation
import TestSupport
import Testing

/// Nodes that nobody asks anything.
@Suite(.requires(.binary), .requires(.redis), .timeLimit(.minutes(5))) struct IdleNodesTests {
    private static let most = 20.0

    /// Each node caused 52 commands a second, whether clients came or not.
    @Test func anIdleNodeCostsTheEngineTwentyCommandsASecond() async throws {
        try await onThread { try Self.count() }
    }

    private static func count() throws {
        let engine = try RedisServer()
        let house = try NodeHouse(engine: engine.port, seed: 1)
        let (began, before) = (ContinuousClock.now, try commands(engine))
        Thread.sleep(forTimeInterval: 5)
        let seconds = (ContinuousClock.now - began) / .seconds(1)
        // A node that is late sends fewer: a busy machine does not matter.
        let each = Double(try commands(engine) - before) / seconds / Double(NodeHouse.names.count)
        FigureTable.note("commands of an idle node", "\(String(format: "%.1f", each)) a second")
        #expect(each <= most && house.areRunning)
    }

    /// The commands that the engine has carried out.
    private static func commands(_ engine: RedisServer) throws -> Int {
        let line = try engine.ask("INFO stats").split(whereSeparator: \.isNewline).first {
            $0.hasPrefix("total_commands_processed:")
        }
        return try #require(line.flatMap { Int($0.split(separator: ":")[1]) })
    }
}
