import EventLoop
import TestSupport
import Testing

@testable import Tier
@testable import Upstream

@Suite(.timeLimit(.minutes(10)), .requires(.redis)) struct BudgetScriptTests {
    private typealias Question = BudgetQuestion
    private typealias Answer = BudgetModel.Answer

    /// An engine, and a connection that asks it for one node.
    private final class Scene {
        let engine: RedisServer
        let tier: TierScene
        private let keys = TierKeys(prefix: "refrain")

        init() throws {
            engine = try RedisServer()
            tier = try TierScene([engine.endpoint])
        }

        /// As that node, by the whole script; with `now` as its clock where one is given.
        func ask(_ question: Question, as node: String = "a", at now: Int? = nil) async throws -> Answer {
            let words = ["EVAL", now == nil ? BudgetScript.source : BudgetScriptTests.clocked].map { Array($0.utf8) }
            let clock = now.map { [Array("\($0)".utf8)] } ?? []
            let replies = await tier.send(
                RESPCommand(words + BudgetScript.arguments(question, keys, at: .none, node: node) + clock))
            return try #require(replies.flatMap { Answer($0[0]) }, "\(String(describing: replies))")
        }

        func askAsNode(_ question: Question) async -> Answer? {
            let answers = AsyncStream<Answer?>.makeStream()
            tier.onLoop { connection in
                let settings = TierSettings(endpoints: [Endpoint(isTLS: false, host: "x", port: 1)], nodeName: "n")
                TierBudget(connection, settings).ask(question) { answers.continuation.yield($0.map { Answer($0) }) }
            }
            for await answer in answers.stream { return answer }
            return nil
        }
    }

    private func question(
        tokens: Int = 0, isBackground: Bool = false, answered: Int = 0, bound: Int = 0, refused: Int = 0,
        ceiling: Double = 0, known: Double = 0
    ) -> Question {
        var question = Question()
        (question.tokens, question.isBackground) = (tokens, isBackground)
        (question.answered, question.answeredWhileBound, question.refused) = (answered, bound, refused)
        (question.ceiling, question.known) = (ceiling > 0 ? ceiling : nil, known > 0 ? known : nil)
        return question
    }

    /// A rate of 1e-11 killed every node that asked, again after each start.
    @Test func aRateThatNoScriptHasLearntIsLearntAnew() async throws {
        let scene = try Scene()
        for rate in ["1e-11", "0.05", "1e7", "1e300", "-1", "nan", "inf", "-nan", "x", ""] {
            let odd = [
                "HSET", "refrain:{refrain}:budget:0000000000000000", "rate", rate, "growth", "1e300", "next", "1e300",
                "calm",
                "nan",
            ]
            for known in [0.0, 5] {
                _ = await scene.tier.send(RESPCommand("FLUSHALL"))
                _ = await scene.tier.send(RESPCommand(odd.map { Array($0.utf8) }))
                let answer = try await scene.ask(question(tokens: 1, known: known))
                #expect(answer.limit == known, "\(rate)")
                if known > 0 { #expect(answer.granted == 1 && answer.wait < 60_000_000, "\(rate)") }
            }
        }
    }

    @Test func numbersThatTheScriptCannotGiveAreNoAnswer() {
        func answer(_ limit: String, _ granted: Int64 = 1, _ wait: Int64 = 1, _ nodes: Int64 = 1) -> Bool {
            let parts = [RESPReply.bulk(limit), .integer(granted), .integer(wait), .integer(nodes)]
            return BudgetScript.answer(.array(parts)) != nil
        }
        #expect(
            answer("0") && answer("0.1") && answer("1000000") && answer("4", 1_000_000, 2_592_000_000_000, 1_000_000))
        for limit in ["1e-11", "1e7", "-1", "nan", "inf", ""] { #expect(!answer(limit), "\(limit)") }
        #expect(!answer("4", .max) && !answer("4", -1) && !answer("4", 1, .max) && !answer("4", 1, -1))
        #expect(!answer("4", 1, 1, .max) && !answer("4", 1, 1, 0))
    }

    @Test func anUnknownScriptIsSentOnceAndMayNotBeAnswered() async throws {
        let scene = try Scene()
        for _ in 0..<2 {
            let before = scene.tier.status.commands
            #expect(await scene.askAsNode(question(tokens: 1, ceiling: 1000))?.granted == 1)
            #expect(await scene.askAsNode(question(tokens: 1, ceiling: 1000))?.granted == 1)
            // By its name, as a whole, by its name.
            #expect(scene.tier.status.commands == before + 3)
            #expect(await scene.tier.send(RESPCommand("SCRIPT", "FLUSH")) == [.simple("OK")])
        }
        _ = await scene.tier.send(RESPCommand("SET", "refrain:{refrain}:budget:0000000000000000", "a string"))
        #expect(await scene.askAsNode(question()) == nil)
        scene.tier.onLoop { $0.close() }
        #expect(await scene.askAsNode(question()) == nil)
    }

    /// Worked out by hand, for the script and its model alike.
    @Test func theseQuestionsHaveTheseAnswers() async throws {
        let (scene, start) = (try Scene(), 1_700_000_000_000_000)
        var model = BudgetModel()
        let rows: [(milliseconds: Int, node: String, question: Question, answer: Answer)] = [
            // A 429 sets the limit to four; a grant is a quarter of a second of the queue.
            (0, "a", question(refused: 1), Answer(limit: 4, granted: 0, wait: 0, nodes: 1)),
            (500, "a", question(tokens: 3), Answer(limit: 4, granted: 1, wait: 0, nodes: 1)),
            (500, "a", question(tokens: 3), Answer(limit: 4, granted: 1, wait: 230_000, nodes: 1)),
            (500, "a", question(tokens: 1, isBackground: true), Answer(limit: 4, granted: 0, wait: 480_000, nodes: 1)),
            (600, "b", question(tokens: 2), Answer(limit: 4, granted: 1, wait: 380_000, nodes: 2)),
            // It grows by 0.2 for an answer, falls by 30 % once for an overshoot, and is forgotten.
            (1_000, "a", question(answered: 2, bound: 2), Answer(limit: 4.4, granted: 0, wait: 0, nodes: 2)),
            (2_500, "a", question(refused: 2), Answer(limit: 2.8, granted: 0, wait: 0, nodes: 2)),
            (2_600, "a", question(refused: 1), Answer(limit: 2.8, granted: 0, wait: 0, nodes: 2)),
            (602_500, "a", question(tokens: 5), Answer(limit: 0, granted: 0, wait: 0, nodes: 1)),
            // A grant is at most the node's part of a quarter of a second.
            (602_600, "b", question(), Answer(limit: 0, granted: 0, wait: 0, nodes: 2)),
            (602_700, "a", question(tokens: 500, ceiling: 400), Answer(limit: 0, granted: 50, wait: 0, nodes: 2)),
        ]
        for (milliseconds, node, question, answer) in rows {
            let now = start + milliseconds * 1_000
            let modelled = model.ask(BudgetModel.Question(question), node: node, now: Double(now))
            #expect(modelled == answer, "the model after \(milliseconds) ms")
            #expect(try await scene.ask(question, as: node, at: now) == answer, "the script after \(milliseconds) ms")
        }
    }

    /// The script with the clock in its last argument.
    private static let clocked = BudgetScript.source.replacing(
        "local now = time[1] * 1000000 + time[2]", with: "local now = tonumber(ARGV[10])")

    @Test(arguments: 1...TestSize.of(2, full: 4) as ClosedRange<UInt64>)
    func theModelOfSimulationsDoesWhatTheScriptDoes(seed: UInt64) async throws {
        let scene = try Scene()
        var (model, random) = (BudgetModel(), SeededGenerator(seed: seed))
        var now = 1_700_000_000_000_000
        var last = BudgetModel.Answer(limit: 0, granted: 0, wait: 0, nodes: 1)
        for step in 0..<600 {
            // Mostly on, seldom far, and sometimes back.
            now += Int.random(in: 0...400_000, using: &random)
            if step % 97 == 96 { now += [-40_000_000, 5_000_000, 700_000_000].randomElement(using: &random)! }
            var asked = Question()
            asked.tokens = Int.random(in: 0...3, using: &random)
            asked.isBackground = Int.random(in: 0..<4, using: &random) == 0
            asked.answered = Int.random(in: 0...4, using: &random)
            asked.answeredWhileBound = Int.random(in: 0...asked.answered, using: &random)
            asked.refused = Int.random(in: 0..<12, using: &random) == 0 ? Int.random(in: 1...9, using: &random) : 0
            asked.refusedAge = .microseconds(Int.random(in: 0...300_000, using: &random))
            asked.ceiling = Int.random(in: 0..<5, using: &random) == 0 ? 3 : nil
            asked.known = last.limit > 0 ? last.limit : nil
            let node = "\(Int.random(in: 0..<10, using: &random))"
            let answer = try await scene.ask(asked, as: node, at: now)
            last = model.ask(BudgetModel.Question(asked), node: node, now: Double(now))
            try #require(answer == last, "seed \(seed), step \(step)")
        }
    }
}

extension BudgetModel.Question {
    fileprivate init(_ question: BudgetQuestion) {
        self.init()
        (tokens, isBackground) = (question.tokens, question.isBackground)
        (answered, bound) = (Double(question.answered), Double(question.answeredWhileBound))
        (refused, age) = (Double(question.refused), Double(question.refusedAge.wholeNanoseconds / 1000))
        (ceiling, known) = (question.ceiling ?? 0, question.known ?? 0)
    }
}

extension BudgetModel.Answer {
    fileprivate init?(_ reply: RESPReply) {
        guard let answer = BudgetScript.answer(reply) else { return nil }
        self.init(answer)
    }

    fileprivate init(_ answer: BudgetAnswer) {
        self.init(
            limit: answer.limit ?? 0, granted: answer.granted, wait: Int(answer.wait.wholeNanoseconds / 1000),
            nodes: answer.nodes)
    }
}
