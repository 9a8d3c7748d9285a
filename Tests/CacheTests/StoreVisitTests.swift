import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import Cache
@testable import Store

/// The answers that a visit has met.
private final class Guests: Sendable {
    private let met = Mutex<[StoredResponse]>([])
    var all: [StoredResponse] { met.withLock { $0 } }
    var targets: [String] { all.map { String(decoding: $0.key.target, as: UTF8.self) } }

    func meet(_ response: StoredResponse, upTo limit: Int = .max) -> Bool {
        met.withLock { met in
            met.append(response)
            return met.count < limit
        }
    }
}

@Suite(.timeLimit(.minutes(10))) struct StoreVisitTests {
    let scratch = Scratch()

    /// Visits the stored answers; returns those met, and the number that the visit reports.
    private func visit(_ cache: ResponseCache, upTo limit: Int = .max) async -> (guests: Guests, visited: Int) {
        let guests = Guests()
        let visited = await withCheckedContinuation { continuation in
            cache.visitStored({ guests.meet($0, upTo: limit) }, { continuation.resume(returning: $0) })
        }
        return (guests, visited)
    }

    private func cache(_ store: FileTier?) -> ResponseCache {
        ResponseCache(memory: MemoryTier(maxBytes: 1 << 20), file: store)
    }

    @Test func theLatestRecordsComeFirst() async {
        let store = scratch.open()
        for number in 0..<200 {
            store.write(response("/\(number)", "body \(number)", resources: [UInt64(number)]))
        }
        // A variant index is no answer.
        store.write(response("/i", selecting: "0123456789abcdef accept-language"))
        store.write(response("/i", variant: "0123456789abcdef"))
        store.write(response("/7", "anew"))
        let (guests, visited) = await visit(cache(store))
        #expect(guests.targets == (["/7", "/i"] + (0..<200).reversed().filter { $0 != 7 }.map { "/\($0)" }))
        #expect(visited == 201 && guests.all.first?.body == Array("anew".utf8))
        #expect(guests.all.dropFirst().first?.key == key("/i", "0123456789abcdef"))
        let sixth = guests.all.first { $0.key == key("/6") }
        #expect(content(sixth) == content(response("/6", "body 6")) && sixth?.resources == [6])
    }

    /// Large answers are read a few at a time.
    @Test func itEndsWhenThereIsEnough() async {
        let store = scratch.open()
        let large = filler(RecordWalk.pieceBytes * 2 / 3)
        store.write((0..<9).map { response("/\($0)", large) } + (10..<100).map { response("/\($0)") })
        let (guests, visited) = await visit(cache(store), upTo: 70)
        #expect(visited == 70 && Set(guests.targets).count == 70)
        #expect(await visit(cache(store)).visited == 99)
    }

    @Test func withoutAFileThereIsNothing() async {
        #expect(await visit(cache(nil)).visited == 0)
        let unusable = scratch.open(file: scratch.directory + "/absent/cache.sqlite")
        #expect(await visit(cache(unusable)).visited == 0)
        let store = scratch.open()
        #expect(await visit(cache(store)).visited == 0, "an empty one")
        store.store(response("/a"))
        store.close()
        #expect(await visit(cache(store)).visited == 0, "a closed one")
    }

    @Test func aDamagedRowIsPassedOver() async throws {
        let store = scratch.open()
        store.write((0..<5).map { response("/\($0)") })
        try scratch.overwrite(body: "(SELECT min(id) + 2 FROM entry)", with: 0)
        let (guests, visited) = await visit(cache(store))
        #expect(visited == 4 && Set(guests.targets).count == 4)
    }

    /// Rows are replaced and removed all the while, and the writer goes on.
    @Test(arguments: TestSize.of([61], release: [61, 62]) as [UInt64])
    func aVisitBesideTheWriterMeetsEachOnceAndWhole(seed: UInt64) async {
        let store = scratch.open()
        let stored = cache(store)
        store.write((0..<2_000).map { response("/\($0)", "\($0) as it was") })
        let isDone = Atomic<Bool>(false)
        let guests = Guests()
        let finished = DispatchSemaphore(value: 0)
        stored.visitStored(
            { guests.meet($0) },
            { _ in
                isDone.store(true, ordering: .relaxed)
                finished.signal()
            })
        var generator = SeededGenerator(seed: seed)
        while !isDone.load(ordering: .relaxed) {
            let number = Int.random(in: 0..<2_000, using: &generator)
            if Bool.random(using: &generator) {
                store.remove(key("/\(number)"))
            } else {
                store.store(response("/\(number)", "\(number) anew"))
            }
        }
        finished.waitOrFail()
        store.flush()
        #expect(Set(guests.targets).count == guests.all.count, "seed \(seed)")
        for guest in guests.all {
            let body = String(decoding: guest.body, as: UTF8.self)
            let number = String(decoding: guest.key.target.dropFirst(), as: UTF8.self)
            #expect(body == "\(number) as it was" || body == "\(number) anew", "seed \(seed)")
        }
        #expect(store.status.failedReads == 0 && store.status.damaged == 0)
    }
}
