import AppleMusic
import Testing

@testable import Cache
@testable import Compose
@testable import Freshness
@testable import Purging

@Suite struct HeldNamesTests {
    private static let list = "/v1/catalog/us/albums/1/tracks"

    private func stored(_ target: String, _ body: String, freshFor: Int = 60) -> StoredResponse {
        let scan = DocumentScan(Array(body.utf8))
        return StoredResponse(
            key: CacheKey(of: .none, scope: .shared, target: Array(target.utf8)), status: 200, fields: [],
            body: Array(body.utf8),
            receivedAt: 1_000, lifetime: Lifetime(freshFor: freshFor), classTag: 0, storefront: Array("us".utf8),
            resources: scan.mentions)
    }

    private func contains(
        _ names: HeldNames, _ target: String, scope: CacheKey.Scope = .shared, patience: Int = 1_000,
        at now: Int64 = 1_000
    ) -> Bool {
        let key = CacheKey(of: .none, scope: scope, target: Array(target.utf8))
        return names.contradicts(
            key, CatalogRequest(canonical: Array(target.utf8)), patience: patience, at: now)
    }

    private static let song = "/v1/catalog/us/songs/7"

    /// Names in a list that is fresh for so long.
    private func names(bytes: Int = 1 << 16, freshFor: Int = 60) -> HeldNames {
        let names = HeldNames(maxBytes: bytes)
        let body = #"{"next":"\#(Self.list)?offset=1","data":[{"id":"7","type":"songs"}]}"#
        names.note(stored(Self.list, body, freshFor: freshFor), at: 1_000)
        return names
    }

    /// An answer that names the song, and is fresh for so long.
    private func naming(_ target: String, freshFor: Int = 60) -> StoredResponse {
        stored(target, #"{"data":[{"id":"7","type":"songs"}]}"#, freshFor: freshFor)
    }

    @Test func namesInAFreshAnswerAreHeld() throws {
        let names = names()
        let song = Self.song
        for target in [song, song + "?include=albums", "/v1/catalog/us/songs?ids=8,7", Self.list + "?limit=5&offset=1"]
        {
            #expect(contains(names, target), "\(target)")
            #expect(!contains(names, target, at: 1_060), "not fresh any more")
        }
        for target in [
            "/v1/catalog/us/songs/8", "/v1/catalog/gb/songs/7", "/v1/catalog/us/albums/7", song + "/albums",
            Self.list + "?offset=2", "/v1/catalog/us/albums/2/tracks?offset=1", Self.list,
        ] {
            #expect(!contains(names, target), "\(target)")
        }
        let users = try #require(UserScopes())
        let found = users.user(ofToken: Array("a".utf8).span)
        let user = try #require(found)
        #expect(!contains(names, Self.list + "?offset=1", scope: .personal(user)))
    }

    @Test func staleAnswersAndAnotherOriginNameNothing() {
        #expect(!contains(names(freshFor: 0), Self.song))
        let held = names()
        held.forgetAll()
        #expect(!contains(held, Self.song))
    }

    /// One that was noted while the clock was ahead was a contradiction for as long as it was. And
    /// a withdrawn resource that a fresh list named was asked for by each client.
    @Test(arguments: [900_000, 1_100] as [Int64])
    func aNotFoundThatLastsIsNoContradictionUntilItIsNamedAnew(first: Int64) {
        let names = names(freshFor: 1_000_000)
        func contradicts(at now: Int64) -> Bool { contains(names, Self.song, patience: 60, at: now) }
        #expect(contradicts(at: first))
        #expect(contradicts(at: 1_100) && contradicts(at: 1_159))
        #expect(!contradicts(at: 1_160) && !contradicts(at: 1_400))
        names.note(
            stored("/v1/catalog/us/songs", #"{"data":[{"id":"7","type":"songs"}]}"#, freshFor: 600), at: 1_400
        )
        #expect(contradicts(at: 1_401))
    }

    /// Any purge emptied the table.
    @Test func aPurgeTakesTheNamesOfTheAnswersThatItChooses() {
        let (names, album) = (names(), naming("/v1/catalog/us/albums/2"))
        names.forget(album)
        #expect(contains(names, Self.song), "it was not the one that named the song")
        names.note(album, at: 1_000)
        names.forget(stored(Self.list, #"{"next":"\#(Self.list)?offset=1","data":[{"id":"7","type":"songs"}]}"#))
        #expect(contains(names, Self.song), "the album names the song")
        #expect(!contains(names, Self.list + "?offset=1"))
        names.forget(album)
        #expect(!contains(names, Self.song))
    }

    /// Two answers that name the same are known: those that end last.
    @Test func twoAnswersMayNameTheSame() {
        let names = HeldNames(maxBytes: 64)
        let albums = (0..<4).map { naming("/v1/catalog/us/albums/\($0)", freshFor: 60 + $0) }
        for album in albums + albums { names.note(album, at: 1_000) }
        names.forget(albums[0])
        names.forget(albums[3])
        #expect(contains(names, Self.song, at: 1_061) && !contains(names, Self.song, at: 1_062))
        names.forget(albums[2])
        #expect(!contains(names, Self.song))
    }

    /// Names came back that a purge had just taken.
    @Test func aPurgedAnswerNamesNothingWhateverComesFirst() async {
        let cache = ResponseCache(memory: MemoryTier(maxBytes: 1 << 20), file: nil)
        let library = ResourceLibrary(cache, of: .none, ResourceClasses { _ in true }, CompositionSettings())
        let album = naming("/v1/catalog/us/albums/2")
        func contradicts() -> Bool {
            let key = CacheKey(of: .none, scope: .shared, target: Array(Self.song.utf8))
            return library.contradicts(
                notFound: key, CatalogRequest(canonical: Array(Self.song.utf8)), patience: 60, at: 1_000)
        }
        library.noteNames(in: album, at: 1_000)
        #expect(contradicts())
        library.readStored { 1_000 }
        cache.store(album)
        func purge(_ conditions: EntrySelection.Condition...) async -> Int? {
            await withCheckedContinuation { continuation in
                cache.purge(EntrySelection(conditions), .soft, at: 1_000) { continuation.resume(returning: $0) }
            }
        }
        var count = await purge(.target(Array("/v1/catalog/us/albums/3".utf8)))
        #expect(count == 0 && contradicts())
        count = await purge(.target(Array("/v1/catalog/us/albums/2".utf8)))
        #expect(count == 1 && !contradicts())
        cache.purges.note(EntrySelection([.classTag(0)]), .hard)
        library.noteNames(in: album, at: 1_000)
        #expect(!contradicts(), "it was purged before its names were noted")
        library.noteNames(
            in: naming("/v1/catalog/us/albums/4").adopted(bornUnder: cache.purges.newest, at: 1_000), at: 1_000)
        #expect(contradicts())
        _ = await purge()
        #expect(!contradicts())
    }

    @Test func heldNamesAreBounded() {
        let names = names(bytes: 64)
        for id in 0..<500 {
            let body = #"{"data":[{"id":"\#(id)","type":"songs"}]}"#
            names.note(stored("/v1/catalog/us/songs?ids=\(id)", body), at: 1_000)
        }
        #expect((0..<500).count { contains(names, "/v1/catalog/us/songs/\($0)") } <= 4)
    }
}
