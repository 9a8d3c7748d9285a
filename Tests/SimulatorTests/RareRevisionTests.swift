import TestSupport
import Testing

@testable import Simulator

/// Catalogs of which a revision changes one resource in a hundred.
@Suite struct RareRevisionTests {
    static let seeds: [UInt64] = TestSize.of([1], full: [1, 2, 77])

    private func catalog(seed: UInt64, share: Int = 10) -> Catalog {
        Catalog(seed: seed, artists: 1000, playlists: 1200, traits: CatalogTraits(revisionShare: share))
    }

    /// All that a resource shows of itself.
    private struct Shown: Equatable {
        var name: String
        var count: Int
        var list: [Resource]
        var isThere: Bool
    }

    private func shown(_ resource: Resource, _ catalog: Catalog) -> Shown {
        let us = SimulatedOrigin.us
        let isThere = catalog.isAvailable(resource, in: us)
        let number = resource.number
        switch resource.type {
        case .albums:
            return Shown(
                name: catalog.name(ofAlbum: number), count: catalog.trackCount(ofAlbum: number),
                list: catalog.artists(ofAlbum: number) + catalog.related(resource, .tracks, in: us), isThere: isThere)
        case .artists:
            return Shown(
                name: catalog.name(ofArtist: number), count: 0, list: catalog.albums(ofArtist: number, in: us),
                isThere: isThere)
        case .playlists:
            return Shown(
                name: catalog.name(ofPlaylist: number, .english), count: catalog.modifications(ofPlaylist: number),
                list: catalog.tracks(ofPlaylist: number), isThere: isThere)
        default: return Shown(name: catalog.name(ofSong: number), count: 0, list: [], isThere: isThere)
        }
    }

    private func resources(_ catalog: Catalog) -> [Resource] {
        (0..<2000).map { Resource(.albums, $0) } + (0..<1000).map { Resource(.artists, $0) }
            + (0..<1200).map { Resource(.playlists, $0) } + (0..<2000).map { catalog.song(album: $0, track: 0) }
    }

    @Test(arguments: seeds, [0, 7, 99, 100, 2500])
    func oneResourceInAHundredChangesAtARevision(seed: UInt64, revision: Int) {
        let catalog = catalog(seed: seed)
        let (one, next) = (Catalog(catalog, revision: revision), Catalog(catalog, revision: revision + 1))
        let all = resources(catalog)
        let changed = all.count { shown($0, one) != shown($0, next) }
        let share = Double(changed) / Double(all.count)
        #expect((0.006...0.018).contains(share), "seed \(seed), revision \(revision): \(share)")
    }

    @Test(arguments: seeds) func attributesAndListsChangeAloneAndTogether(seed: UInt64) {
        let catalog = catalog(seed: seed)
        let (first, later) = (catalog, Catalog(catalog, revision: 24))
        for type in [SimulatedType.albums, .artists, .playlists] {
            var kinds: [String: Int] = [:]
            for number in 0..<1000 {
                let (one, other) = (shown(Resource(type, number), first), shown(Resource(type, number), later))
                guard one.isThere, other.isThere else { continue }
                let (hasOtherName, hasOtherList) = (one.name != other.name, one.list != other.list)
                if hasOtherName || hasOtherList {
                    kinds[hasOtherName ? hasOtherList ? "both" : "name" : "list", default: 0] += 1
                }
            }
            for kind in ["both", "name", "list"] {
                #expect(kinds[kind, default: 0] >= 8, "seed \(seed): \(type) changed as \(kinds) say")
            }
        }
    }

    @Test(arguments: seeds) func listsGrowShrinkAndChangeTheirOrder(seed: UInt64) {
        let catalog = catalog(seed: seed, share: 100)
        var steps: Set<String> = []
        for playlist in 0..<40 {
            let states = (0...60).map { Catalog(catalog, revision: $0).tracks(ofPlaylist: playlist) }
            for (one, next) in zip(states, states.dropFirst()) where one != next {
                if next.count > one.count { steps.insert("grows") }
                if next.count < one.count { steps.insert("shrinks") }
                if Set(next) == Set(states[0]), next != states[0] { steps.insert("has another order") }
            }
        }
        #expect(steps == ["grows", "shrinks", "has another order"], "seed \(seed)")
    }

    @Test(arguments: seeds) func resourcesVanishAndComeBack(seed: UInt64) {
        let catalog = catalog(seed: seed)
        let states = (0...100).map { revision in
            let catalog = Catalog(catalog, revision: revision)
            return (0..<500).map { catalog.isAvailable(Resource(.albums, $0), in: SimulatedOrigin.us) }
        }
        let vanished = (0..<500).filter { album in states[0][album] && states.contains { !$0[album] } }
        #expect(vanished.count > 30, "seed \(seed)")
        #expect(vanished.allSatisfy { states[100][$0] }, "seed \(seed): some stayed away")
    }

    @Test(arguments: seeds) func revisionZeroIsTheSeededCatalog(seed: UInt64) {
        let standard = Catalog(seed: seed, artists: 1000, playlists: 1200)
        let revised = Catalog(catalog(seed: seed), revision: 0)
        for resource in resources(standard) {
            #expect(shown(resource, revised) == shown(resource, standard), "seed \(seed): \(resource)")
        }
    }

    /// Otherwise a batch would say that a song does not exist which its album shows.
    @Test(arguments: seeds) func theSongsOfAnAlbumThatGrewExist(seed: UInt64) throws {
        let catalog = Catalog(catalog(seed: seed), revision: 60)
        let grown = (0..<2000).filter { catalog.trackCount(ofAlbum: $0) > catalog.firstTrackCount(ofAlbum: $0) }
        #expect(grown.count > 50, "seed \(seed)")
        for album in grown {
            let last = catalog.song(album: album, track: catalog.trackCount(ofAlbum: album) - 1)
            #expect(catalog.resource(.songs, id: catalog.id(of: last)) == last, "seed \(seed): \(album)")
            #expect(catalog.related(last, .albums, in: SimulatedOrigin.us) == [Resource(.albums, album)])
        }
    }
}
