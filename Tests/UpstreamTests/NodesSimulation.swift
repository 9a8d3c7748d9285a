import EventLoop
import TestSupport

@testable import Upstream

/// The outcomes of a simulation or of a part of one.
struct SimulationCounts {
    /// Answers of the origin.
    var answered = 0
    var refused = 0
    /// Clients that got no answer but a 429, or none in time.
    var failed = 0
    /// Questions to the engine.
    var asked = 0

    var shareRefused: Double { Double(refused) / Double(max(1, answered + refused)) }

    mutating func add(_ other: Self, times factor: Int = 1) {
        answered += factor * other.answered
        refused += factor * other.refused
        failed += factor * other.failed
        asked += factor * other.asked
    }

    /// The outcomes since these were counted.
    func since(_ earlier: Self) -> Self {
        var counts = self
        counts.add(earlier, times: -1)
        return counts
    }
}

/// Nodes with a budget each in front of an origin with a limit for all of them.
///
/// Clients never run out of questions, each of which goes to the next node. Time is virtual, and
/// chance comes from a seed.
struct NodesSimulation {
    enum Sharing: String { case alone, shared }

    private enum Event {
        case ask(client: Int)
        case submit(Int, isRepeated: Bool)
        case giveUp(Int)
        case tick(node: Int, at: Int64)
        case poll(node: Int)
        case atEngine(node: Int, Int, BudgetQuestion)
        case told(node: Int, Int, BudgetAnswer?)
        case arrival(Int)
        case answer(Int, isRefused: Bool)
    }

    /// A client's request, with all its sendings.
    private struct Request {
        let client: Int
        let node: Int
        let begun: Int64
        var repeats = 0
        var isWaiting = false
    }

    private struct Node {
        var budget = BudgetState(rate: nil, maxWaiting: 1000, maxWaitingInBackground: 100)
        var tickAt = Int64.max
    }

    var isEngineThere = true
    let sharing: Sharing
    private(set) var counts = SimulationCounts()
    private var origin: LimitedOrigin
    private var engine = BudgetModel()
    private var nodes: [Node]
    private var requests: [Int: Request] = [:]
    private var nextRequest = 0
    private var random: SeededGenerator
    private var events = TimeOrdered<Event>()
    private var now: Int64 = 1_000_000_000_000

    /// As long as a request of the proxy waits for its turn.
    private static let patience: Int64 = 15_000_000_000
    /// The engine's clock is not the nodes'.
    private static let engineOffset: Double = 7_654_321_000_000

    init(nodes count: Int, clients: Int, _ origin: LimitedOrigin, _ sharing: Sharing, seed: UInt64) {
        (self.origin, self.sharing) = (origin, sharing)
        random = SeededGenerator(seed: seed)
        nodes = (0..<count).map { _ in Node() }
        for node in nodes.indices {
            _ = nodes[node].budget.addLane(connections: 16)
            guard sharing == .shared else { continue }
            nodes[node].budget.rate.share(phase: .random(in: 0..<1, using: &random))
            events.insert(.poll(node: node), at: now + Int64.random(in: 0..<250_000_000, using: &random))
        }
        for client in 0..<clients {
            events.insert(.ask(client: client), at: now + Int64.random(in: 0..<2_000_000_000, using: &random))
        }
    }

    private var instant: Instant { Instant(nanoseconds: now) }

    /// Simulates this span, and returns its counts.
    mutating func run(_ span: Duration) -> SimulationCounts {
        let before = counts
        let end = now + span.wholeNanoseconds
        while let (time, event) = events.popFirst(before: end) {
            now = time
            handle(event)
        }
        now = end
        return counts.since(before)
    }

    private mutating func handle(_ event: Event) {
        switch event {
        case .ask(let client): begin(client)
        case .submit(let id, let isRepeated): submit(id, isRepeated: isRepeated)
        case .giveUp(let id): giveUp(id)
        case .tick(let node, let at):
            if nodes[node].tickAt == at { nodes[node].tickAt = .max }
            decide(node) { $0.tick(now: $1) }
        case .poll(let node):
            decide(node) { budget, now in
                budget.rate.poll(now: now)
                return []
            }
            events.insert(.poll(node: node), at: now + 250_000_000)
        case .atEngine(let node, let number, let question): ask(node, number, question)
        case .told(let node, let number, let answer):
            decide(node) { budget, now in
                budget.rate.answered(answer, to: number, now: now)
                return budget.tick(now: now)
            }
        case .arrival(let id):
            let isRefused = !origin.allows(now)
            events.insert(.answer(id, isRefused: isRefused), at: now + halfTrip())
        case .answer(let id, let isRefused): answered(id, isRefused)
        }
    }

    // MARK: Clients

    private mutating func begin(_ client: Int) {
        nextRequest += 1
        requests[nextRequest] = Request(client: client, node: nextRequest % nodes.count, begun: now)
        events.insert(.giveUp(nextRequest), at: now + Self.patience)
        submit(nextRequest, isRepeated: false)
    }

    private mutating func submit(_ id: Int, isRepeated: Bool) {
        requests[id]?.isWaiting = true
        guard let node = requests[id]?.node else { return }
        decide(node) {
            $0.submit(BudgetState.JobID(lane: 0, number: id), .waitingClient, isRepeated: isRepeated, now: $1)
        }
    }

    private mutating func giveUp(_ id: Int) {
        guard let request = requests[id], request.isWaiting else { return }
        counts.failed += 1
        decide(request.node) { $0.end(BudgetState.JobID(lane: 0, number: id), .unanswered, now: $1) }
        end(id)
    }

    private mutating func answered(_ id: Int, _ isRefused: Bool) {
        guard let request = requests[id] else { return }
        counts.answered += isRefused ? 0 : 1
        counts.refused += isRefused ? 1 : 0
        let outcome: BudgetState.Outcome = isRefused ? .rateLimited() : .answered
        decide(request.node) { $0.end(BudgetState.JobID(lane: 0, number: id), outcome, now: $1) }
        guard isRefused else { return end(id) }
        let pause = RepeatPause.duration(beforeRepeat: request.repeats, using: &random)?.wholeNanoseconds
        guard let pause, now + pause < request.begun + Self.patience else {
            counts.failed += 1
            return end(id)
        }
        requests[id]?.repeats += 1
        events.insert(.submit(id, isRepeated: true), at: now + pause)
    }

    private mutating func end(_ id: Int) {
        guard let request = requests.removeValue(forKey: id) else { return }
        events.insert(.ask(client: request.client), at: now + Int64.random(in: 0..<200_000_000, using: &random))
    }

    private mutating func halfTrip() -> Int64 { Int64.random(in: 15_000_000...35_000_000, using: &random) }

    // MARK: Nodes

    private mutating func decide(_ node: Int, _ event: (inout BudgetState, Instant) -> ActionList<BudgetState.Action>) {
        for case .start(let job) in event(&nodes[node].budget, instant) {
            requests[job.number]?.isWaiting = false
            events.insert(.arrival(job.number), at: now + halfTrip())
        }
        if let (number, question) = nodes[node].budget.rate.takeQuestion() {
            counts.asked += 1
            events.insert(.atEngine(node: node, number, question), at: now + engineTrip())
        }
        guard let wakeAt = nodes[node].budget.wakeAt?.nanoseconds, wakeAt < nodes[node].tickAt else { return }
        // Timers are late.
        let at = max(now, wakeAt) + Int64.random(in: 0...2_000_000, using: &random)
        nodes[node].tickAt = at
        events.insert(.tick(node: node, at: at), at: at)
    }

    private mutating func engineTrip() -> Int64 { Int64.random(in: 100_000...1_000_000, using: &random) }

    private mutating func ask(_ node: Int, _ number: Int, _ question: BudgetQuestion) {
        guard isEngineThere else {
            return events.insert(.told(node: node, number, nil), at: now + 50_000_000)
        }
        let answer = engine.ask(
            BudgetModel.Question(question), node: "\(node)", now: Double(now / 1000) + Self.engineOffset)
        let told = BudgetAnswer(
            limit: answer.limit > 0 ? answer.limit : nil, granted: answer.granted,
            wait: .microseconds(answer.wait), nodes: answer.nodes)
        events.insert(.told(node: node, number, told), at: now + engineTrip())
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

/// Allows this many requests a second, perhaps less than one.
struct LimitedOrigin {
    enum Limiter: String, CaseIterable { case window, bucket }

    var perSecond: Double
    let limiter: Limiter
    /// How much the bucket holds; it is refilled evenly.
    private let room: Double
    private var window: (number: Int64, count: Int) = (0, 0)
    private var bucket: (tokens: Double, at: Int64) = (1, 0)

    init(_ limiter: Limiter, perSecond: Double, room: Double? = nil) {
        (self.limiter, self.perSecond, self.room) = (limiter, perSecond, room ?? max(1, perSecond))
    }

    mutating func allows(_ now: Int64) -> Bool {
        switch limiter {
        case .window:
            let seconds = max(1, 1 / perSecond)
            let number = Int64(Double(now) / 1e9 / seconds)
            if number != window.number { window = (number, 0) }
            window.count += 1
            return window.count <= Int(seconds * perSecond)
        case .bucket:
            let refilled = bucket.tokens + Double(now - bucket.at) / 1e9 * perSecond
            bucket = (min(room, refilled), now)
            guard bucket.tokens >= 1 else { return false }
            bucket.tokens -= 1
            return true
        }
    }
}
