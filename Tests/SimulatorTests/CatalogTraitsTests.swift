import TestSupport
import Testing

@testable import Simulator

/// The settings that make a catalog like a real one: rare gaps, and lists as recordings have them.
@Suite struct CatalogTraitsTests {
    static let seeds: [UInt64] = TestSize.of([1], full: [1, 2, 77])

    private func catalog(_ seed: UInt64, _ traits: CatalogTraits) -> Catalog {
        Catalog(seed: seed, artists: 2400, playlists: 1200, traits: traits)
    }

    /// How many of the items a storefront lacks.
    private func lacking(_ catalog: Catalog, _ items: [Resource]) -> Int {
        items.count { !catalog.isAvailable($0, in: SimulatedOrigin.us) }
    }

    @Test(arguments: seeds, [300, 1000, 3000]) func oneItemInSoManyIsUnavailable(seed: UInt64, share: Int) {
        let catalog = catalog(seed, CatalogTraits(unavailableOneIn: share, listSizes: .recorded))
        let albums = (0..<catalog.albumCount).map { Resource(.albums, $0) }
        let ofAlbums = lacking(catalog, albums)
        let songs = albums.filter { catalog.isAvailable($0, in: SimulatedOrigin.us) }
            .flatMap { catalog.related($0, .tracks, in: SimulatedOrigin.us) }
        let ofSongs = lacking(catalog, songs)
        let other: [SimulatedType] = [.artists, .musicVideos, .playlists]
        let rest = other.flatMap { type in (0..<catalog.count(of: type)).map { Resource(type, $0) } }
        let ofRest = lacking(catalog, rest)
        for (found, all) in [(ofAlbums, albums.count), (ofSongs, songs.count), (ofRest, rest.count)] {
            // Five standard deviations of such a count.
            let expected = Double(all) / Double(share)
            let slack = 5 * expected.squareRoot() + 1
            #expect(abs(Double(found) - expected) < slack, "seed \(seed): \(found) of \(all), not one in \(share)")
        }
    }

    @Test(arguments: seeds) func recordedDiscographiesHave5To150Albums(seed: UInt64) {
        let catalog = catalog(seed, CatalogTraits(listSizes: .recorded))
        let sizes = (0..<catalog.artistCount).map { catalog.albums(ofArtist: $0).count }
        #expect(sizes.allSatisfy { (5...150).contains($0) }, "seed \(seed)")
        #expect((sizes.min() ?? 0) < 8 && (sizes.max() ?? 0) > 140, "seed \(seed)")
        let furtherPages = Double(sizes.count { $0 > 25 }) / Double(sizes.count)
        #expect((0.35...0.45).contains(furtherPages), "seed \(seed): \(furtherPages) go on after 25 albums")
    }

    @Test(arguments: seeds) func recordedPlaylistsMostlyHave50Or100Songs(seed: UInt64) {
        let catalog = catalog(seed, CatalogTraits(listSizes: .recorded))
        let sizes = (0..<catalog.playlistCount).map { catalog.trackCount(ofPlaylist: $0) }
        #expect(sizes.allSatisfy { (10...250).contains($0) }, "seed \(seed)")
        #expect((sizes.min() ?? 0) < 15 && (sizes.max() ?? 0) > 200, "seed \(seed)")
        let usual = Double(sizes.count { $0 == 50 || $0 == 100 }) / Double(sizes.count)
        #expect((0.65...0.78).contains(usual), "seed \(seed): \(usual) have 50 or 100 songs")
        for playlist in 0..<50 {
            #expect(catalog.tracks(ofPlaylist: playlist).count == sizes[playlist], "seed \(seed)")
        }
    }
}
