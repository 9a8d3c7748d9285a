import Synchronization
import TestSupport
import Testing

@testable import Upstream

/// Gates whose budget an authority keeps: the test plays it.
@Suite(.timeLimit(.minutes(10))) struct SharedBudgetGateTests {
    /// Answers at once with the function's result, and keeps the questions.
    private final class PlayedAuthority: Sendable {
        private let questions = Mutex<[BudgetQuestion]>([])
        private let answer: @Sendable (BudgetQuestion) -> BudgetAnswer?

        init(_ answer: @escaping @Sendable (BudgetQuestion) -> BudgetAnswer?) { self.answer = answer }

        var asked: [BudgetQuestion] { questions.withLock { $0 } }

        func ask(_ question: BudgetQuestion, _ completion: @escaping @Sendable (BudgetAnswer?) -> Void) {
            questions.withLock { $0.append(question) }
            completion(answer(question))
        }
    }

    private func scene(_ authority: PlayedAuthority, loops: Int = 2) throws -> GateScene {
        let scene = try GateScene(ScriptedOrigin([.echo]), loops: loops, connections: 2)
        scene.budget.share { authority.ask($0, $1) }
        scene.budget.poll(now: .now())
        return scene
    }

    @Test func requestsOfAllLoopsStartOnTheTokensThatAreGranted() async throws {
        let authority = PlayedAuthority { question in
            BudgetAnswer(limit: 1000, granted: question.tokens > 0 ? 1 : 0, wait: .milliseconds(3))
        }
        let scene = try scene(authority)
        let sent = (0..<40).map { scene.send("/\($0)", lane: $0 % 2) }
        for (number, one) in sent.enumerated() { #expect(await one.end().text == "/\(number)") }
        #expect(authority.asked.count { $0.tokens > 0 } >= 40)
        #expect(scene.budget.snapshot == UpstreamBudget.Snapshot(rate: 1000, inFlight: 0, waiting: 0))
    }

    @Test func noClientFailsForAnAuthorityThatIsAway() async throws {
        let isThere = Mutex(true)
        let authority = PlayedAuthority { question in
            isThere.withLock { $0 } ? BudgetAnswer(limit: 1000, granted: question.tokens, nodes: 2) : nil
        }
        let scene = try scene(authority)
        #expect(await scene.send("/a").end().text == "/a")
        #expect(scene.budget.nodes == 2)
        isThere.withLock { $0 = false }
        let sent = (0..<20).map { scene.send("/\($0)", lane: $0 % 2) }
        for (number, one) in sent.enumerated() { #expect(await one.end().text == "/\(number)") }
        #expect(scene.budget.snapshot.rate == 400)
        let count = authority.asked.count
        #expect(await scene.send("/b").end().text == "/b")
        #expect(authority.asked.count == count)
    }
}
