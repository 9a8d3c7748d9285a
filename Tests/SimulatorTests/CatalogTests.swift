import TestSupport
import Testing

@testable import Simulator

@Suite struct CatalogTests {
    static let seeds: [UInt64] = TestSize.of([1], full: [1, 2, 77])

    @Test func hasThousandsOfThings() {
        let catalog = Catalog(seed: 1, artists: 2400, playlists: 1200)
        #expect(catalog.albumCount > 5000)
        #expect(catalog.artistCount > 2000)
        #expect(catalog.videoCount > 1000)
        let prolific = (0..<catalog.artistCount).filter { catalog.albums(ofArtist: $0).count > 100 }
        #expect(prolific.count >= 5)
        #expect((0..<catalog.albumCount).contains { catalog.trackCount(ofAlbum: $0) == 320 })
        #expect((0..<catalog.playlistCount).contains { catalog.trackCount(ofPlaylist: $0) == 250 })
    }

    @Test(arguments: seeds) func idsReadBack(_ seed: UInt64) {
        let catalog = Catalog(seed: seed, artists: 200, playlists: 100)
        for type in SimulatedType.allCases where !type.isLibrary && type != .personalRecommendation && type != .songs {
            for number in 0..<catalog.count(of: type) {
                let resource = Resource(type, number)
                #expect(catalog.resource(type, id: catalog.id(of: resource)) == resource, "seed \(seed)")
            }
        }
        for album in 0..<catalog.albumCount {
            let song = catalog.song(album: album, track: catalog.trackCount(ofAlbum: album) - 1)
            #expect(catalog.resource(.songs, id: catalog.id(of: song)) == song)
            let past = Resource(.songs, song.number + 1)
            #expect(catalog.resource(.songs, id: catalog.id(of: past)) == nil)
        }
        #expect(catalog.resource(.albums, id: "1400000001") == nil)
        #expect(catalog.resource(.playlists, id: "pl.00000000000000000000000000000000") == nil)
    }

    @Test(arguments: seeds) func relationsAgreeInBothDirections(_ seed: UInt64) {
        let catalog = Catalog(seed: seed, artists: 200, playlists: 100)
        let pairs: [(SimulatedType, Relation, Relation)] = [
            (.albums, .artists, .albums), (.artists, .albums, .artists), (.albums, .tracks, .albums),
            (.songs, .musicVideos, .songs), (.musicVideos, .songs, .musicVideos), (.playlists, .curator, .playlists),
            (.musicVideos, .artists, .musicVideos), (.artists, .musicVideos, .artists),
        ]
        for (type, there, back) in pairs {
            let all =
                type == .songs
                ? (0..<300).flatMap { catalog.related(Resource(.albums, $0), .tracks, in: SimulatedOrigin.us) }
                : (0..<catalog.count(of: type)).map { Resource(type, $0) }
            for resource in all {
                for other in catalog.related(resource, there, in: SimulatedOrigin.us) {
                    let returned = catalog.related(other, back, in: SimulatedOrigin.us)
                    #expect(returned.contains(resource), "seed \(seed): \(resource) \(there) \(other)")
                }
            }
        }
    }

    @Test(arguments: seeds) func codesReadBack(_ seed: UInt64) {
        let catalog = Catalog(seed: seed, artists: 200, playlists: 100)
        for album in 0..<catalog.albumCount where catalog.edition(ofAlbum: album) != .clean {
            #expect(catalog.albums(upc: catalog.upc(ofAlbum: album)) == [Resource(.albums, album)])
            let song = catalog.song(album: album, track: 0)
            let isrc = catalog.isrc(ofSong: song.number)
            #expect(isrc.utf8.count == 12)
            #expect(catalog.songs(isrc: isrc).contains(song), "seed \(seed) album \(album)")
        }
        for video in 0..<catalog.videoCount {
            #expect(catalog.videos(isrc: catalog.isrc(ofVideo: video)) == [Resource(.musicVideos, video)])
        }
    }

    @Test func namesAreSeededAndHaveOddCharacters() {
        let catalog = Catalog(seed: 1, artists: 2400, playlists: 1200)
        let names =
            (0..<catalog.artistCount).map { catalog.name(ofArtist: $0) }
            + (0..<catalog.albumCount).map { catalog.name(ofAlbum: $0) }
        for part in ["ü", "\"", "\\", "\t", "🎸", "星", "🌊"] {
            #expect(names.contains { $0.contains(part) }, "nothing has \(part)")
        }
        let one = Catalog(seed: 1, artists: 100, playlists: 64)
        let two = Catalog(seed: 2, artists: 100, playlists: 64)
        #expect(one.id(of: Resource(.playlists, 5)) == two.id(of: Resource(.playlists, 5)))
        #expect((0..<50).contains { one.name(ofArtist: $0) != two.name(ofArtist: $0) })
    }

    // MARK: Rare gaps, and lists as recordings have them

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

    @Test(arguments: seeds) func recordedListsHaveTheLengthsThatWereSeen(seed: UInt64) {
        let catalog = catalog(seed, CatalogTraits(listSizes: .recorded))
        let albums = (0..<catalog.artistCount).map { catalog.albums(ofArtist: $0).count }
        #expect(albums.allSatisfy { (5...150).contains($0) }, "seed \(seed)")
        #expect((albums.min() ?? 0) < 8 && (albums.max() ?? 0) > 140, "seed \(seed)")
        let furtherPages = Double(albums.count { $0 > 25 }) / Double(albums.count)
        #expect((0.35...0.45).contains(furtherPages), "seed \(seed): \(furtherPages) go on after 25 albums")
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
