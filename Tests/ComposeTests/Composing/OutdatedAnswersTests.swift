import Synchronization
import TestSupport
import Testing

@testable import Cache
@testable import Compose

/// The answers that a newer one outdates, and those that it does not.
@Suite(.timeLimit(.minutes(10))) struct OutdatedAnswersTests {
    private static func song(_ revision: String) -> String {
        resource("songs", "5").replacing(#""songs 5""#, with: #""songs 5, \#(revision)""#)
    }

    private static func batch(_ ids: String, _ revision: String, after: Int64) -> Stored {
        Stored("songs?ids=\(ids)", document([song(revision), resource("songs", "6")]), after: after)
    }

    private func isOutdated(_ answer: Stored, in scene: StoredScene) throws -> Bool {
        scene.library.isOutdated(try scene.response(answer))
    }

    /// Each answer that agreed with the newest was one more reason to outdate those before it.
    @Test func anAnswerWasOutdatedByOneThatAgreesWithIt() throws {
        let old = Stored("songs/5", document(Self.song("old")))
        let (first, second) = (Self.batch("5,6", "new", after: 5), Self.batch("6,5", "new", after: 9))
        let answers = [old, first, second]
        for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2]] {
            let scene = try StoredScene(order.map { answers[$0] })
            let outdated = try answers.map { try isOutdated($0, in: scene) }
            #expect(outdated == [true, false, false], "\(order)")
        }
    }

    @Test func aNotFoundThatIsNotBelievedOutdatedAnswers() throws {
        let held = Self.batch("5,6", "old", after: 0)
        for isBelieved in [false, true] {
            let scene = try StoredScene([held])
            scene.library.note(
                notFound: try scene.response(Stored("songs/5", "")).key, at: StoredScene.noon + 5,
                try StoredScene.request("songs/5"), isBelieved: isBelieved)
            #expect(try isOutdated(held, in: scene) == isBelieved)
        }
    }

    /// A batch that answers an id under another one contradicted the answer to the id alone.
    @Test func aBatchThatGaveAnotherNameOutdatedTheAnswerToTheId() throws {
        let scene = try StoredScene([
            Stored("songs/9", document(resource("songs", "9"))),
            Stored("songs?ids=9,6", document([resource("songs", "5"), resource("songs", "6")]), after: 5),
        ])
        #expect(try !isOutdated(Stored("songs/9", document(resource("songs", "9"))), in: scene))
        try scene.store(Stored("songs?ids=9", document([]), after: 9))
        #expect(try isOutdated(Stored("songs/9", document(resource("songs", "9"))), in: scene))
    }

    /// Members in another order have another checksum, and by checksums alone answers are compared
    /// that are read from the file at the start.
    @Test func theSameMembersInAnotherOrderOutdatedAnswersAfterARestart() throws {
        func song(_ attributes: String) -> String {
            document(#"{"id":"5","type":"songs","href":"/v1/catalog/us/songs/5","attributes":{\#(attributes)}}"#)
        }
        let scene = StoredScene()
        let old = Stored("songs/5", song(#""name":"x","isrc":"y""#))
        let new = Stored("songs/5?extend=a", song(#""isrc":"y","name":"x""#), after: 5)
        for stored in [new, old] {
            let part = try #require(StoredSource(scanning: try scene.response(stored)))
            scene.library.note(stale: part, try StoredScene.request(stored.target), at: StoredScene.noon + 10)
        }
        #expect(try !isOutdated(old, in: scene))
    }

    /// The index knows four answers of a resource, and the part was none of them any more.
    @Test func aComposedAnswerStayedBesideANewerOneWhereManyShowTheResource() throws {
        let scene = StoredScene()
        let target = Self.batch("5,6", "old", after: 0)
        try scene.store(target)
        let part = try #require(scene.cache.memory.lookup(try scene.response(target).key))
        let key = try scene.response(Stored("songs/5", "")).key
        let composed = StoredResponse(
            composed: Array(document(Self.song("old")).utf8), key: key, parts: [part], detail: .reduced,
            receivedAt: StoredScene.noon, born: 0, lifetime: part.lifetime, classTag: part.classTag)
        #expect(
            scene.cache.store(composed: composed, from: [part], whileContradictionsAre: scene.cache.contradictions))
        for other in 7..<12 { try scene.store(Self.batch("5,6,\(other)", "old", after: Int64(other))) }
        #expect(scene.cache.memory.lookup(key) != nil)
        try scene.store(Self.batch("5,8", "new", after: 20))
        #expect(scene.cache.memory.lookup(key) == nil)
    }

    /// The file was read under the time at which that began, and when it had taken minutes, the
    /// clock seemed to have gone back.
    @Test func aLongReadOfTheFileLoweredFloors() throws {
        let (scene, folder) = (StoredScene(), try TemporaryFolder())
        func open() -> ResponseCache {
            let file = FileTier.open(path: folder.file("cache.sqlite"), maxBytes: 64 << 20) { _ in }
            return ResponseCache(memory: MemoryTier(maxBytes: 1 << 20), file: file)
        }
        let before = open()
        before.store(try scene.response(Stored("songs/7", document(resource("songs", "7")))))
        before.close()
        let cache = open()
        let library = ResourceLibrary(cache, of: .none, ResourceClasses { _ in true }, CompositionSettings())
        let old = try scene.response(Stored("songs/5", document(Self.song("old")), after: 90))
        for answer in [old, try scene.response(Self.batch("5,6", "new", after: 100))] {
            cache.store(answer)
            library.note(answer, at: answer.receivedAt)
        }
        #expect(library.isOutdated(old))
        let looks = Mutex(0)
        library.readStored {
            looks.withLock { looks in
                looks += 1
                return StoredScene.noon + (looks == 1 ? 0 : 100)
            }
        }
        waitUntil { library.isComplete }
        #expect(library.isOutdated(old) && looks.withLock { $0 } > 1)
        cache.close()
    }
}
