import EventLoop
import TestSupport
import Testing

@testable import Proxy

/// Misses and ends at random, told to the state as a loop would.
@Suite struct BatchStatePropertyTests {
    private struct Run {
        private typealias State = BatchState<Int, Int>

        private let note: Comment
        private let most: Int
        private var random: SeededGenerator
        private var state = State()
        private var now = Instant(nanoseconds: 0)
        private var underWay: [(kind: Int, batch: State.Batch?)] = []
        private var moments: [(at: Instant, kind: Int)] = []
        private var waiting: [Int: Instant] = [:]
        private(set) var (added, gone, joined) = (0, Set<Int>(), 0)

        init(seed: UInt64) {
            note = "seed \(seed)"
            random = SeededGenerator(seed: seed)
            most = Int.random(in: 2..<8, using: &random)
        }

        mutating func play(steps: Int) {
            for _ in 0..<steps {
                switch Int.random(in: 0..<10, using: &random) {
                case 0..<5: add()
                case 5..<7: end()
                default: step(.microseconds(Int.random(in: 0..<6_000, using: &random)))
                }
            }
            while !underWay.isEmpty { end() }
            #expect(state.count == 0, note)
            #expect(waiting.isEmpty && gone == Set(0..<added), note)
        }

        private mutating func add() {
            let (member, kind) = (added, Int.random(in: 0..<3, using: &random))
            added += 1
            let id = Array("\(Int.random(in: 0..<12, using: &random))".utf8)
            let isLone = !underWay.contains { $0.kind == kind }
            let (mayWait, most) = (Int.random(in: 0..<8, using: &random) > 0, most)
            switch state.add(id, of: kind, member, most: most, at: now, mayWait: { mayWait }) {
            case .goAlone:
                leave(member)
                underWay.append((kind, nil))
                return
            case .wake(let moment):
                moments.append((moment, kind))
                waiting[member] = now
            case .wait: waiting[member] = now
            case .send(let batch):
                waiting[member] = now
                send(batch)
            }
            #expect(!isLone && mayWait, note)
        }

        private mutating func end() {
            guard let index = underWay.indices.randomElement(using: &random) else { return }
            let ended = underWay.remove(at: index)
            if let batch = ended.batch, Int.random(in: 0..<4, using: &random) == 0,
                let (one, other) = state.halve(batch)
            {
                #expect(Set(one.ids).isDisjoint(with: other.ids), note)
                #expect(one.ids + other.ids == batch.ids, note)
                #expect(abs(one.ids.count - other.ids.count) <= 1, note)
                #expect(one.members.count + other.members.count == batch.members.count, note)
                for half in [one, other] { underWay.append((ended.kind, half)) }
                return
            }
            if let batch = state.ended(ended.kind, .answered) { send(batch) }
        }

        /// Time goes by, and due events happen at their moment.
        private mutating func step(_ duration: Duration) {
            let end = now + duration
            moments.sort { $0.at < $1.at }
            while let moment = moments.first, moment.at <= end {
                moments.removeFirst()
                now = moment.at
                if let batch = state.due(moment.kind, at: now) { send(batch) }
            }
            now = end
        }

        private mutating func send(_ batch: State.Batch) {
            #expect(!batch.ids.isEmpty && batch.ids.count <= most && Set(batch.ids).count == batch.ids.count, note)
            #expect(batch.members.allSatisfy { batch.ids.contains($0.id) }, note)
            joined += batch.members.count - 1
            for (_, member) in batch.members {
                #expect(waiting.removeValue(forKey: member).map { now - $0 <= State.window } == true, note)
                leave(member)
            }
            underWay.append((batch.kind, batch))
        }

        private mutating func leave(_ member: Int) { #expect(gone.insert(member).inserted, note) }
    }

    /// None waits alone or beyond the window, no batch is too large, and nothing is kept.
    @Test(arguments: 0..<TestSize.of(15, release: 60) as Range<UInt64>)
    func eachGoesOnceAndInTime(seed: UInt64) {
        var run = Run(seed: seed)
        run.play(steps: 600)
        #expect(run.joined > 0, "seed \(seed)")
    }
}
