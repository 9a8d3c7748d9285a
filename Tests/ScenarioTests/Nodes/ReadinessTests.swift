import TestSupport
import Testing

@testable import EventLoop

/// The readiness of a node whose engine goes away, as a load balancer sees it.
@Suite(.timeLimit(.minutes(10)), .requires(.redis), .requires(.binary)) struct ReadinessTests {
    /// It was taken out until ten seconds after its start, all nodes at once.
    @Test func aReadyNodeStaysReadyWithoutItsEngine() throws {
        let origin = try FakeOrigin { _ in FakeOrigin.Reply() }
        let address = try #require(SocketAddress(host: "127.0.0.1", port: UInt16(origin.port)))
        let fleet = try NodeFleet(1, isShared: true, before: address)
        fleet.killEngine()
        var answers: [(status: Int, text: String)] = []
        waitUntil(within: 120) {
            guard let answer = try? fleet.readiness(of: 0) else { return false }
            answers.append(answer)
            return answer.text.contains("engine away")
        }
        #expect(answers.last?.text.hasPrefix("ready; engine away") == true, "\(answers)")
        #expect(answers.allSatisfy { $0.status == 200 }, "\(answers)")
    }
}
