import EventLoop
import TestSupport
import Testing

@testable import Upstream

/// Random events against the promises in the head of BudgetState.swift.
@Suite struct BudgetStatePropertyTests {
    /// The model that the promises are checked against: plain lists, searched from end to end.
    private struct World {
        struct Waiting {
            let id: BudgetState.JobID
            var priority: UpstreamPriority
            /// The lower, the earlier.
            var order: Int
            /// Nil for requests in the background.
            var party: UpstreamParty?
            /// The party whose share of the connections it will use.
            var holder: UpstreamParty
            var isBackground: Bool { priority.isBackground }
        }

        var budget: BudgetState
        let connections: [Int]
        let maxWaiting: Int
        let maxInBackground: Int
        /// Whether only the common rate holds back requests that have room.
        let hasOneRate: Bool
        /// Whether some answers are 429s; after these, rates are so low that connections stay free.
        let meets429s: Bool
        var now = Instant(nanoseconds: 1_000_000_000_000)
        var waiting: [Waiting] = []
        var running: [(id: BudgetState.JobID, priority: UpstreamPriority, holder: UpstreamParty)] = []
        var nextOrder = 0

        mutating func perform(_ actions: ActionList<BudgetState.Action>, _ seed: UInt64) {
            for action in actions {
                guard let index = waiting.firstIndex(where: { $0.id == action.job }) else {
                    Issue.record("seed \(seed): \(action) of what does not wait")
                    return
                }
                let job = waiting[index]
                switch action {
                case .start:
                    let better = waiting.filter {
                        hasRoom($0)
                            && ($0.party == job.party && isBetter($0, job) || job.isBackground && !$0.isBackground)
                    }
                    #expect(hasRoom(job) && (better.isEmpty || !hasOneRate), "seed \(seed): \(action)")
                    running.append((job.id, job.priority, job.holder))
                case .turnAway(_, let retryAfter):
                    #expect((1...5).contains(retryAfter), "seed \(seed): \(action)")
                case .refuse(_, let retryAfter):
                    let worse = waiting.filter { $0.party == job.party && isBetter(job, $0) }
                    #expect(worse.isEmpty && (1...60).contains(retryAfter), "seed \(seed): \(action)")
                    #expect(mayRefuse(job), "seed \(seed): \(action)")
                }
                waiting.remove(at: index)
            }
            check(seed)
        }

        private func isBetter(_ job: Waiting, _ other: Waiting) -> Bool {
            (job.priority, -job.order) > (other.priority, -other.order)
        }

        /// The background first, then the longest line, or a line with more than a quarter of all.
        private func mayRefuse(_ job: Waiting) -> Bool {
            let lines = Dictionary(grouping: waiting.filter { !$0.isBackground }) { $0.party }.mapValues(\.count)
            let inBackground = waiting.count(where: \.isBackground)
            let own = lines[job.party] ?? 0
            if waiting.count > maxWaiting || inBackground > maxInBackground {
                return inBackground > 0 ? job.isBackground : own == lines.values.max()
            }
            return !job.isBackground && lines.count > 1 && own > max(1, maxWaiting / 4)
        }

        private func hasRoom(_ job: Waiting) -> Bool {
            let others = running.filter { $0.id.lane == job.id.lane }
            let places = connections[job.id.lane]
            let (free, held) = (places - others.count, others.count { $0.holder == job.holder })
            guard free > 0, held == 0 || held + 1 <= 7 * (free - 1) else { return false }
            let kept = places == 1 ? 0 : (places + 7) / 8
            return !job.priority.isBackground
                || free > kept && others.count { $0.priority.isBackground } < max(1, places / 2)
        }

        /// While requests wait and while none does.
        private func checkShares(_ seed: UInt64) {
            for (lane, places) in connections.enumerated() {
                let lane = running.filter { $0.id.lane == lane }
                let most = Dictionary(grouping: lane) { $0.holder }.values.map(\.count).max() ?? 0
                #expect(most <= max(1, places * 7 / 8), "seed \(seed)")
            }
        }

        private func check(_ seed: UInt64) {
            #expect(budget.waitingCount == waiting.count && budget.inFlight == running.count, "seed \(seed)")
            #expect(waiting.count <= maxWaiting, "seed \(seed)")
            #expect(waiting.count { $0.priority.isBackground } <= maxInBackground, "seed \(seed)")
            checkShares(seed)
            let couldStart = waiting.contains { hasRoom($0) }
            #expect(couldStart == (budget.wakeAt != nil), "seed \(seed): waits although it could start, or sleeps")
            if let wakeAt = budget.wakeAt { #expect(wakeAt > now, "seed \(seed)") }
        }
    }

    @Test(arguments: 0..<TestSize.of(10, release: 40) as Range<UInt64>)
    func promisesHoldForAnyEvents(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let connections = (0..<Int.random(in: 1...3, using: &random)).map { _ in
            Int.random(in: 1...(seed % 2 == 0 ? 5 : 40), using: &random)
        }
        let maxWaiting = Int.random(in: 1...12, using: &random)
        let maxInBackground = Int.random(in: 1...maxWaiting, using: &random)
        let rate = Bool.random(using: &random) ? nil : Int.random(in: 1...50, using: &random)
        var budget = BudgetState(rate: rate, maxWaiting: maxWaiting, maxWaitingInBackground: maxInBackground)
        for count in connections { _ = budget.addLane(connections: count) }
        var world = World(
            budget: budget, connections: connections, maxWaiting: maxWaiting, maxInBackground: maxInBackground,
            hasOneRate: seed % 2 == 0, meets429s: seed % 3 > 0)
        for step in 0..<400 { event(step, &world, &random, seed) }
        // With nothing new, everything that waits starts and ends.
        for _ in 0..<2000 where !(world.waiting.isEmpty && world.running.isEmpty) {
            world.now = world.budget.wakeAt ?? world.now
            world.perform(world.budget.tick(now: world.now), seed)
            guard let job = world.running.popLast() else { continue }
            world.perform(world.budget.end(job.id, .answered, now: world.now), seed)
        }
        #expect(world.waiting.isEmpty && world.running.isEmpty && world.budget.jobs.isEmpty, "seed \(seed)")
    }

    /// However much others ask for: the request at place n of its party's line goes once each of
    /// the parties has had n turns.
    @Test(arguments: 0..<TestSize.of(10, release: 40) as Range<UInt64>) func noPartyStarves(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let lanes = Int.random(in: 1...3, using: &random)
        var budget = BudgetState(rate: 10, maxWaiting: 1_000_000, maxWaitingInBackground: 1_000_000)
        for _ in 0..<lanes { _ = budget.addLane(connections: 1_000_000) }
        /// By job: its party, and how many starts it may wait for at most.
        var waiting: [Int: (party: Int, starts: Int)] = [:]
        let parties = Int.random(in: 1...6, using: &random)
        var (now, started) = (Instant(nanoseconds: 1_000_000_000_000), 0)
        for number in 0..<600 {
            // The first asks for as much as all others.
            let party = Bool.random(using: &random) ? 0 : Int.random(in: 0..<parties, using: &random)
            let place = waiting.values.count { $0.party == party } + 1
            waiting[number] = (party, started + parties * place)
            let id = BudgetState.JobID(lane: Int.random(in: 0..<lanes, using: &random), number: number)
            var actions = budget.submit(id, .waitingClient, of: .network(UInt64(party)), now: now)
            if Int.random(in: 0..<3, using: &random) == 0, let wakeAt = budget.wakeAt {
                now = wakeAt
                actions += budget.tick(now: now)
            }
            for case .start(let job) in actions {
                let late = started - (waiting.removeValue(forKey: job.number)?.starts ?? 0)
                #expect(late <= 0, "seed \(seed): job \(job.number) went \(late) starts too late")
                started += 1
            }
        }
        while let wakeAt = budget.wakeAt {
            for action in budget.tick(now: wakeAt) {
                #expect(started <= waiting.removeValue(forKey: action.job.number)?.starts ?? 0, "seed \(seed)")
                started += 1
            }
        }
        #expect(waiting.isEmpty && budget.waitingCount == 0, "seed \(seed)")
    }

    /// Slow answers, and parties that come and go: one that holds nothing gets a free connection at
    /// once, one that is alone gets all but an eighth, and all that waits goes in the end.
    @Test(arguments: 0..<TestSize.of(10, release: 40) as Range<UInt64>) func noPartyHoldsThePool(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let (now, places) = (Instant(nanoseconds: 1_000_000_000_000), Int.random(in: 1...64, using: &random))
        let most = max(1, places * 7 / 8)
        var budget = BudgetState(rate: nil, maxWaiting: 10_000, maxWaitingInBackground: 1_000)
        _ = budget.addLane(connections: places)
        var (held, parties) = ([UpstreamParty: [BudgetState.JobID]](), [BudgetState.JobID: UpstreamParty]())
        func note(_ actions: ActionList<BudgetState.Action>) {
            for action in actions { held[parties[action.job] ?? .everyone, default: []].append(action.job) }
        }
        for number in 0..<2_000 {
            let inFlight = held.values.reduce(0) { $0 + $1.count }
            if inFlight > 0, Int.random(in: 0..<5, using: &random) < (number < 200 ? 0 : 2) {
                let party = held.filter { !$0.value.isEmpty }.keys.sorted { "\($0)" < "\($1)" }
                    .randomElement(using: &random)!
                note(budget.end(held[party]!.removeFirst(), .answered, now: now))
            } else {
                let id = BudgetState.JobID(lane: 0, number: number)
                let party = UpstreamParty.network(number < 200 ? 0 : UInt64.random(in: 0..<9, using: &random))
                parties[id] = party
                let isNew = held[party, default: []].isEmpty && inFlight < places
                let actions = budget.submit(id, .waitingClient, of: party, now: now)
                #expect(!isNew || actions == [.start(id)], "seed \(seed)")
                note(actions)
            }
            #expect(held.values.allSatisfy { $0.count <= most }, "seed \(seed)")
            if number == 199 { #expect(held[.network(0)]?.count == most, "seed \(seed)") }
        }
        while let party = held.first(where: { !$0.value.isEmpty })?.key {
            note(budget.end(held[party]!.removeFirst(), .answered, now: now))
        }
        #expect(budget.jobs.isEmpty && budget.waitingCount == 0, "seed \(seed): something waits for ever")
    }

    private func event(_ step: Int, _ world: inout World, _ random: inout SeededGenerator, _ seed: UInt64) {
        let priority = UpstreamPriority.allCases.randomElement(using: &random)!
        switch Int.random(in: 0..<10, using: &random) {
        case 0...3:
            let id = BudgetState.JobID(lane: world.connections.indices.randomElement(using: &random)!, number: step)
            let isRepeated = Int.random(in: 0..<4, using: &random) == 0
            world.nextOrder += 1
            let party = UpstreamParty.network(UInt64.random(in: 0..<4, using: &random))
            let cause = UpstreamParty.network(UInt64.random(in: 0..<4, using: &random))
            let account = world.hasOneRate ? 0 : UInt64.random(in: 0..<3, using: &random)
            world.waiting.append(
                .init(
                    id: id, priority: priority, order: isRepeated ? .min + world.nextOrder : world.nextOrder,
                    party: priority.isBackground ? nil : party, holder: priority.isBackground ? cause : party))
            world.perform(
                world.budget.submit(
                    id, priority, of: party, causedBy: cause, account: account, isRepeated: isRepeated, now: world.now),
                seed)
        case 4, 5, 6:
            guard let index = world.running.indices.randomElement(using: &random) else { return }
            let refused = world.meets429s ? BudgetState.Outcome.rateLimited() : .answered
            let outcome = [BudgetState.Outcome.answered, .answered, refused, .unanswered]
                .randomElement(using: &random)!
            let job = world.running.remove(at: index)
            world.perform(world.budget.end(job.id, outcome, now: world.now), seed)
        case 7:
            guard let index = world.waiting.indices.randomElement(using: &random) else { return }
            let job = world.waiting.remove(at: index)
            world.perform(world.budget.end(job.id, .unanswered, now: world.now), seed)
        case 8:
            guard let index = world.waiting.indices.randomElement(using: &random) else { return }
            if world.waiting[index].priority < priority {
                world.nextOrder += 1
                if !priority.isBackground {
                    let party = world.waiting[index].party ?? .everyone
                    (world.waiting[index].party, world.waiting[index].holder) = (party, party)
                }
                world.waiting[index].priority = priority
                world.waiting[index].order = world.nextOrder
            }
            world.perform(world.budget.promote(world.waiting[index].id, to: priority, now: world.now), seed)
        default:
            world.now = world.now + .milliseconds(Int.random(in: 1...400, using: &random))
            world.perform(world.budget.tick(now: world.now), seed)
        }
    }
}
