import Foundation
import Testing

@testable import Simulator

/// The judge finds an answer that the proxy composes although it has seen a newer state.
@Suite struct SupersededPartsTests {
    private static let seenAt: Int64 = 1_000
    private let api = SimulatedAPI.open {
        $0.artists = 200
        $0.playlists = 64
    }
    private let before = Revision(catalog: 5)
    private let now = Revision(catalog: 6)

    private func said(_ target: String, _ revision: Revision) -> SimulatorResponse {
        api.respond(to: OracleRequest(target: target).simulated, asOf: revision)
    }

    /// The verdict on an old answer to `target`, after the origin answered `seen`.
    private func judge(
        _ target: String, of revision: Revision, seen: String, at seenRevision: Revision? = nil,
        before position: Int = 1, after seconds: Int64 = 10
    ) throws -> Difference? {
        let oracle = Oracle(api)
        let states = SeenStates(oracle) { $0.status == 404 ? 20 : 60 }
        let answer = said(seen, seenRevision ?? now)
        states.add([
            OriginLog.Entry(
                target: seen, revision: seenRevision ?? now, unixSeconds: Self.seenAt, status: answer.status,
                body: answer.body)
        ])
        let parts = try #require(
            SupersededParts(
                states, oracle, OracleRequest(target: target), [now, before], before: position,
                at: Self.seenAt + seconds))
        return parts.first(in: try JSONNode.parse(said(target, revision).body))
    }

    private func playlist() throws -> String {
        let (old, new) = (
            Catalog(api.world.catalog, revision: before.catalog), Catalog(api.world.catalog, revision: now.catalog)
        )
        let found = (0..<old.playlistCount).first { playlist in
            let resource = Resource(.playlists, playlist)
            return old.tracks(ofPlaylist: playlist).prefix(5) != new.tracks(ofPlaylist: playlist).prefix(5)
                && old.isAvailable(resource, in: Market(code: "us")!)
                && old.isAvailable(resource, in: Market(code: "gb")!)
        }
        return old.id(of: Resource(.playlists, try #require(found)))
    }

    private func album(wasThere: Bool) throws -> String {
        let (old, new) = (
            Catalog(api.world.catalog, revision: before.catalog), Catalog(api.world.catalog, revision: now.catalog)
        )
        let us = Market(code: "us")!
        let found = (0..<old.albumCount).map { Resource(.albums, $0) }.first {
            old.isAvailable($0, in: us) == wasThere && new.isAvailable($0, in: us) != wasThere
        }
        return old.id(of: try #require(found))
    }

    @Test func aPlaylistThatWasSeenOtherwiseIsFound() throws {
        let path = "/v1/catalog/us/playlists"
        let (wanted, seen) = ("\(path)/\(try playlist())?include=curator", "\(path)?ids=\(try playlist())")
        #expect(try judge(wanted, of: before, seen: seen)?.rule == .superseded)
        #expect(try judge(wanted, of: now, seen: seen) == nil)
        #expect(try judge(wanted, of: before, seen: seen, at: before) == nil)
        #expect(try judge(wanted, of: before, seen: seen, before: 0) == nil, "it was composed before")
        #expect(try judge(wanted, of: before, seen: seen, after: 60) == nil, "the newer one is stale")
        #expect(try judge(wanted, of: before, seen: seen.replacing("/us/", with: "/gb/")) == nil)
        #expect(try judge(wanted, of: before, seen: seen + "&extend=artistUrl") == nil)
    }

    @Test func aChangedPageIsFound() throws {
        let parent = "/v1/catalog/us/playlists/\(try playlist())"
        let (wanted, seen) = ("\(parent)/tracks?limit=10", "\(parent)/tracks?limit=5")
        #expect(try judge(wanted, of: before, seen: seen)?.rule == .superseded)
        #expect(try judge(wanted, of: now, seen: seen) == nil)
        #expect(try judge(wanted, of: before, seen: parent)?.rule == .superseded, "inside the playlist")
        let path = try judge(wanted, of: before, seen: seen + "&include=albums")?.path
        #expect(path != "data", "another list to the proxy, whose songs are the same all the same")
    }

    @Test func aResourceNotFoundSinceIsFound() throws {
        let (path, id) = ("/v1/catalog/us/albums", try album(wasThere: true))
        #expect(try judge("\(path)?ids=\(id)", of: before, seen: "\(path)/\(id)")?.rule == .superseded)
        #expect(try judge("\(path)/\(id)", of: before, seen: "\(path)?ids=\(id)")?.rule == .superseded)
        #expect(try judge("\(path)/\(id)", of: before, seen: "\(path)/\(id)", at: before) == nil)
        #expect(try judge("\(path)?ids=\(id)", of: before, seen: "\(path)/\(id)", after: 20) == nil, "it is stale")
    }

    @Test func aMissingResourceSeenSinceIsFound() throws {
        let (path, id) = ("/v1/catalog/us/albums", try album(wasThere: false))
        #expect(try judge("\(path)?ids=\(id)", of: before, seen: "\(path)/\(id)")?.path == "data")
        #expect(try judge("\(path)?ids=\(id)", of: now, seen: "\(path)/\(id)") == nil)
        #expect(try judge("\(path)?ids=\(id)", of: before, seen: "\(path)/\(id)", at: before) == nil)
    }
}
