import AppleMusic
import TestSupport
import Testing

@testable import Compose

/// Origins at which the look of a song depends on where it is shown, and clients that read albums
/// and then some of their songs.
@Suite struct PlacesWorldTests {
    /// How one song in so many differs inside albums.
    enum Difference: Sendable {
        case none
        /// An attribute is missing inside albums, or is there alone.
        case hidden, extra
        /// An attribute has another value inside albums.
        case value
    }

    struct World: Sendable {
        let difference: Difference
        let oneIn: Int
        var storefront = "us"

        func song(_ id: Int, isInAlbum: Bool) -> String {
            let isRare = id % oneIn == 0
            let isShown = isRare && difference != .value && (difference == .none || isInAlbum == (difference == .extra))
            let name = isRare && difference == .value && isInAlbum ? "other" : "name"
            return #"{"id":"\#(id)","type":"songs","href":"/v1/catalog/\#(storefront)/songs/\#(id)","#
                + #""attributes":{"name":"\#(name) \#(id)"\#(isShown ? #","notes":"x""# : "")}}"#
        }

        func answer(_ target: String) -> String {
            let id = Int(target.split(separator: "/")[1]) ?? 0
            guard target.hasPrefix("albums") else { return document(song(id, isInAlbum: false)) }
            let tracks = (0..<10).map { song(id * 10 + $0, isInAlbum: true) }
            return document(resource("albums", "\(id)", [relation("tracks", tracks)]))
        }
    }

    struct Result {
        var asked = 0
        var composed = 0
        var wrong = 0
    }

    /// Asks for albums, and for some songs before and after their album.
    private func play(_ world: World, albums: Int, seed: UInt64) throws -> Result {
        var (scene, random, result) = (StoredScene(needsEvidence: true), SeededGenerator(seed: seed), Result())
        scene.rule = .fixed(1_000_000, stale: 0)
        let storefront = try #require(Storefront(world.storefront))
        func ask(_ target: String, at second: Int64) throws {
            let whole = "/v1/catalog/\(world.storefront)/\(target)"
            if case .answer(let body) = try scene.compose(whole, after: second) {
                scene.library.forms.note(uses: body.crossings, in: storefront, at: StoredScene.noon + second)
                result.composed += 1
                if String(decoding: body.body, as: UTF8.self) != world.answer(target) { result.wrong += 1 }
            } else {
                result.asked += 1
                try scene.store(Stored(whole, world.answer(target), after: second, freshFor: 1_000_000))
            }
        }
        for album in 100..<100 + albums {
            let second = Int64(album * 10)
            var songs = Array(0..<10).shuffled(using: &random)
            for song in songs.suffix(2) { try ask("songs/\(album * 10 + song)", at: second) }
            try ask("albums/\(album)", at: second + 1)
            songs.removeLast(2)
            for song in songs.prefix(4) { try ask("songs/\(album * 10 + song)", at: second + 2) }
        }
        return result
    }

    /// An attribute of one song in five was lost for all: the first songs had it nowhere.
    @Test(arguments: [Difference.hidden, .extra, .value], [1, 2, 5])
    func nothingIsWrongWhereManySongsDiffer(_ difference: Difference, _ oneIn: Int) throws {
        for seed in 0..<20 as Range<UInt64> {
            let result = try play(World(difference: difference, oneIn: oneIn), albums: 120, seed: seed)
            #expect(result.wrong == 0, "seed \(seed): \(result)")
        }
    }

    /// Before one of the few is compared some may be wrong: about one for each use that a
    /// comparison allows, however few differ.
    @Test(arguments: [Difference.hidden, .extra], [20, 50, 200])
    func fewAreWrongWhereFewSongsDiffer(_ difference: Difference, _ oneIn: Int) throws {
        var total = Result()
        for seed in 0..<10 as Range<UInt64> {
            let result = try play(World(difference: difference, oneIn: oneIn), albums: 400, seed: seed)
            (total.wrong, total.composed) = (total.wrong + result.wrong, total.composed + result.composed)
        }
        print("one in \(oneIn) \(difference): \(total.wrong) of \(total.composed) wrong")
        #expect(total.wrong <= 10 * PlacementDemand().usesOfOne, "\(total)")
    }

    /// Other values may be a revision, unless a placement shows the same before and after.
    @Test func aPlacementThatShowsTheSameBeforeAndAfterAnotherValueEndsIt() throws {
        let album = #"{"id":"2","type":"albums","relationships":{"tracks":{"data":["#
        func song(_ name: String) -> String { #"{"id":"1","type":"songs","attributes":{"name":"\#(name)"}}"# }
        func inAlbum(_ name: String, after: Int64) -> Stored {
            Stored("albums/2", document(album + song(name) + "]}}}"), after: after)
        }
        for last in ["own", "other"] {
            let scene = try StoredScene([Stored("songs/1", document(song("own"))), inAlbum("own", after: 1)])
            let us = try #require(Storefront("us"))
            func holds() -> Bool {
                scene.library.forms.agreement(.songs, in: us, at: StoredScene.noon).holds(.included, in: .item)
            }
            #expect(holds())
            #expect(try scene.store(inAlbum("other", after: 2)) == .nothingNew, "the catalog may have changed")
            try scene.store(Stored("songs/1", document(song(last)), after: 3))
            let agreement = scene.library.forms.agreement(.songs, in: us, at: StoredScene.noon)
            #expect(agreement.isRefuted(.item, .included) == (last == "own"), "\(last)")
        }
    }

    /// Evidence is there for the asking: most songs come out of their albums.
    @Test(arguments: [1, 5, 50]) func placesThatAgreeAreUsed(_ oneIn: Int) throws {
        let result = try play(World(difference: .none, oneIn: oneIn), albums: 120, seed: 1)
        #expect(result.wrong == 0 && result.composed > 120 * 4 * 3 / 4, "\(result)")
    }
}
