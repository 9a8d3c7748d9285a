import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import Store

/// The records that a visit has met.
private final class Guests: Sendable {
    private let met = Mutex<[Record]>([])
    var all: [Record] { met.withLock { $0 } }
    var targets: [String] { all.map(\.path) }

    func meet(_ record: Record, upTo limit: Int = .max) -> Bool {
        met.withLock { met in
            met.append(record)
            return met.count < limit
        }
    }
}

@Suite(.timeLimit(.minutes(10))) struct StoreVisitTests {
    let scratch = Scratch()

    /// Visits the stored records; returns those met, and the number that the visit reports.
    private func visit(_ store: RecordStore, upTo limit: Int = .max) async -> (guests: Guests, visited: Int) {
        let guests = Guests()
        let visited = await withCheckedContinuation { continuation in
            store.visit({ guests.meet($0, upTo: limit) }, { continuation.resume(returning: $0) })
        }
        return (guests, visited)
    }

    @Test func theLatestRecordsComeFirst() async {
        let store = scratch.open()
        for number in 0..<200 {
            store.write(record("/\(number)", "body \(number)", resources: [UInt64(number)]))
        }
        // A record that leads to others is none of them.
        store.write(record("/i", selecting: "0123456789abcdef accept-language"))
        store.write(record("/i", variant: "0123456789abcdef"))
        store.write(record("/7", "anew"))
        let (guests, visited) = await visit(store)
        #expect(guests.targets == (["/7", "/i"] + (0..<200).reversed().filter { $0 != 7 }.map { "/\($0)" }))
        #expect(visited == 201 && guests.all.first?.text == "anew")
        #expect(guests.all.dropFirst().first?.key == key("/i", "0123456789abcdef"))
        let sixth = guests.all.first { $0.path == "/6" }
        #expect(content(sixth) == content(record("/6", "body 6")) && sixth?.facts.resources == [6])
    }

    /// Large answers are read a few at a time.
    @Test func itEndsWhenThereIsEnough() async {
        let store = scratch.open()
        let large = filler(RecordWalk.pieceBytes * 2 / 3)
        store.write((0..<9).map { record("/\($0)", large) } + (10..<100).map { record("/\($0)") })
        let (guests, visited) = await visit(store, upTo: 70)
        #expect(visited == 70 && Set(guests.targets).count == 70)
        #expect(await visit(store).visited == 99)
    }

    @Test func withoutAFileThereIsNothing() async {
        let unusable = scratch.open(file: scratch.directory + "/absent/cache.sqlite")
        #expect(await visit(unusable).visited == 0)
        let store = scratch.open()
        #expect(await visit(store).visited == 0, "an empty one")
        store.store(record("/a"))
        store.close()
        #expect(await visit(store).visited == 0, "a closed one")
    }

    @Test func aDamagedRowIsPassedOver() async throws {
        let store = scratch.open()
        store.write((0..<5).map { record("/\($0)", "<body \($0)>") })
        try scratch.flip("<body 2>")
        let (guests, visited) = await visit(store)
        #expect(visited == 4 && Set(guests.targets).count == 4)
    }

    /// Rows are replaced and removed all the while, and the writer goes on.
    @Test(arguments: TestSize.of([61], release: [61, 62]) as [UInt64])
    func aVisitBesideTheWriterMeetsEachOnceAndWhole(seed: UInt64) async {
        let store = scratch.open()
        store.write((0..<2_000).map { record("/\($0)", "\($0) as it was") })
        let isDone = Atomic<Bool>(false)
        let guests = Guests()
        let finished = DispatchSemaphore(value: 0)
        store.visit(
            { guests.meet($0) },
            { _ in
                isDone.store(true, ordering: .relaxed)
                finished.signal()
            })
        var generator = SeededGenerator(seed: seed)
        while !isDone.load(ordering: .relaxed) {
            let number = Int.random(in: 0..<2_000, using: &generator)
            if Bool.random(using: &generator) {
                store.remove("/\(number)")
            } else {
                store.store(record("/\(number)", "\(number) anew"))
            }
        }
        finished.waitOrFail()
        store.flush()
        #expect(Set(guests.targets).count == guests.all.count, "seed \(seed)")
        for guest in guests.all {
            let number = guest.path.dropFirst()
            #expect(guest.text == "\(number) as it was" || guest.text == "\(number) anew", "seed \(seed)")
        }
        #expect(store.status.failedReads == 0 && store.status.damaged == 0)
    }
}
