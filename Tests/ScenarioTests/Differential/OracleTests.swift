import Foundation
import TestSupport
import Testing
import Text

@testable import Simulator

/// The judge of the differential tests is itself judged: it finds each kind of wrong answer. Right
/// ones are what each run consists of.
@Suite struct OracleTests {
    private let api = SimulatedAPI.open {
        $0.artists = 200
        $0.playlists = 64
    }
    private let before = Revision(catalog: 5)
    private let now = Revision(catalog: 6)

    private func said(_ target: String, _ revision: Revision) -> HTTPTestClient.Reply {
        let response = api.respond(to: OracleRequest(target: target).simulated, asOf: revision)
        return HTTPTestClient.Reply(status: response.status, fields: [], body: Data(response.body))
    }

    private func judge(_ reply: HTTPTestClient.Reply, _ target: String, _ revisions: [Revision]) -> Difference? {
        Oracle(api).judge(reply, to: OracleRequest(target: target), revisions)
    }

    private var catalogs: (before: Catalog, now: Catalog) {
        (Catalog(api.world.catalog, revision: before.catalog), Catalog(api.world.catalog, revision: now.catalog))
    }

    private static let us = Market(code: "us")!

    /// The first album, by number, that fits.
    private func album(where fits: (Catalog, Catalog, Resource) -> Bool) throws -> String {
        let (before, now) = catalogs
        let all = (0..<before.albumCount).map { Resource(.albums, $0) }
        return before.id(of: try #require(all.first { fits(before, now, $0) }))
    }

    private func isThere(_ resource: Resource, _ catalogs: Catalog...) -> Bool {
        catalogs.allSatisfy { $0.isAvailable(resource, in: Self.us) }
    }

    /// An album, there at both revisions, whose artist has another name at the second, and nothing
    /// else that the answer shows.
    private func albumWithRenamedArtist() throws -> String {
        let target = "/v1/catalog/us/albums/"
        return target
            + (try album { before, now, album in
                let artist = before.artist(ofAlbum: album.number)
                guard isThere(album, before, now), isThere(Resource(.artists, artist), before, now),
                    before.trackCount(ofAlbum: album.number) > 2, before.guest(ofAlbum: album.number) == nil
                else { return false }
                let tracks = before.related(album, .tracks, in: Self.us)
                return before.name(ofArtist: artist) != now.name(ofArtist: artist)
                    && tracks.allSatisfy { isThere($0, before) == isThere($0, now) }
            }) + "?include=artists"
    }

    /// - Parameter first: a revision at which the playlist had another name too.
    private func playlistWithOtherTracks(since first: Revision? = nil) throws -> String {
        let (before, now) = (Catalog(api.world.catalog, revision: (first ?? self.before).catalog), catalogs.now)
        let playlist = (0..<before.playlistCount).first {
            before.tracks(ofPlaylist: $0) != now.tracks(ofPlaylist: $0) && isThere(Resource(.playlists, $0), before)
                && before.trackCount(ofPlaylist: $0) > 30
                && (first == nil || renamings(before, $0) != renamings(now, $0))
        }
        return "/v1/catalog/us/playlists/\(before.id(of: Resource(.playlists, try #require(playlist))))/tracks?limit=20"
    }

    private func renamings(_ catalog: Catalog, _ playlist: Int) -> Int {
        catalog.renamings(of: Resource(.playlists, playlist))
    }

    /// Whole answers, or parts of them, of a revision that is not acceptable.
    @Test func shapesAndAttributesOfAnotherTimeAreFound() throws {
        let (album, page) = (try albumWithRenamedArtist(), try playlistWithOtherTracks())
        let flipped = Revision(catalog: now.catalog, isFlipped: true)
        #expect(judge(said(album, now), album, [flipped, now]) == nil)
        #expect(judge(said(album, now), album, [flipped])?.path == "data[0].relationships.artists.data[0]")
        #expect(judge(said(page, now), page, [flipped])?.path == "next")
        for path in ["data.0.attributes", "data.0.relationships.artists.data.0"] {
            let mixed = try edited(said(album, now), path, part(said(album, before), path))
            let found = path.replacing(".0", with: "[0]")
            #expect(judge(mixed, album, [now])?.path.hasPrefix(found + ".") == true, "\(path)")
            #expect(judge(mixed, album, [now, before]) == nil, "\(path)")
        }
    }

    /// Both are acceptable, and the origin never showed them together.
    @Test func attributesAndAListOfTwoRevisionsAreFound() throws {
        let first = Revision()
        let target = playlist(of: try playlistWithOtherTracks(since: first))
        let path = "data.0.attributes"
        let mixed = try edited(said(target, now), path, part(said(target, first), path))
        let difference = try #require(judge(mixed, target, [now, first]))
        #expect(difference.rule == .mixed && difference.path == "data[0]")
        #expect(judge(said(target, first), target, [now, first]) == nil)
    }

    @Test func anArtistInTwoStatesIsFound() throws {
        let item = try albumWithRenamedArtist()
        let target = item.replacing("?", with: "/tracks?")
        let path = "data.0.relationships.artists.data.0"
        let mixed = try #require(try difference(target, path, part(said(target, before), path)))
        #expect(mixed.rule == .mixed && mixed.reason.contains("at two places"))
    }

    @Test func aListOfTwoRevisionsIsFound() throws {
        let page = try playlistWithOtherTracks()
        let nested = "data.0.relationships.tracks.data"
        for (target, path, found) in [
            (page, "data", "data["), (playlist(of: page), nested, "data[0].relationships.tracks.data"),
        ] {
            let new = try #require(try part(said(target, now), path).arrayValue)
            let old = try #require(try part(said(target, before), path).arrayValue)
            let mixed = try difference(target, path, .array(Array(old.prefix(8) + new.dropFirst(8))))
            #expect(mixed?.path.hasPrefix(found) == true)
            let shorter = try difference(target, path, .array(Array(new.dropLast())))
            #expect(shorter?.path.hasSuffix("data") == true)
        }
    }

    @Test func missingAndExtraPartsAreFound() throws {
        let (page, album) = (try playlistWithOtherTracks(), try albumWithRenamedArtist())
        let (artists, path) = ("data.0.relationships.artists", "data[0].relationships")
        #expect(try difference(page, "next", nil) != nil)
        #expect(try difference(page, "next", "/v1/catalog/us/playlists/1/tracks?offset=20")?.path == "next")
        #expect(try difference(album, artists, nil)?.path == path)
        #expect(try difference(album, artists + ".data.0.attributes", nil)?.path == path + ".artists.data[0]")
        #expect(try difference(album, artists + ".data", [])?.path == path + ".artists.data")
        let tracks = "data.0.relationships.tracks.data.0.relationships"
        #expect(try difference(album, tracks, ["a": 1])?.path == path + ".tracks.data[0]")
    }

    /// The judgement on a changed answer of the later revision, of two that it may be of.
    private func difference(_ target: String, _ path: String, _ part: JSON?) throws -> Difference? {
        judge(try edited(said(target, now), path, part), target, [now, before])
    }

    /// - Parameter path: for example `data.0.attributes`.
    private func part(_ reply: HTTPTestClient.Reply, _ path: String) throws -> JSON {
        try #require(try JSON.parse([UInt8](reply.body))[path: path.split(separator: ".")[...]])
    }

    /// An answer with another part; nil removes it.
    private func edited(_ reply: HTTPTestClient.Reply, _ path: String, _ part: JSON?) throws -> HTTPTestClient.Reply {
        var document = try JSON.parse([UInt8](reply.body))
        document[path: path.split(separator: ".")[...]] = part
        return HTTPTestClient.Reply(status: 200, fields: [], body: Data(document.bytes))
    }

    /// The playlist that a page of its tracks is of.
    private func playlist(of page: String) -> String { String(page.prefix { $0 != "?" }.dropLast("/tracks".count)) }

    @Test func aBatchWithOtherElementsIsFound() throws {
        let first = try album { isThere($2, $0, $1) }
        let second = try album { isThere($2, $0, $1) && $0.id(of: $2) != first }
        let target = "/v1/catalog/us?ids[albums]=\(first),\(second),\(first)"
        let all = try #require(try part(said(target, now), "data").arrayValue)
        try #require(all.count == 2)
        for wrong in [[all[1], all[0]], [all[0]], [all[0], all[1], all[0]], []] {
            #expect(try difference(target, "data", .array(wrong)) != nil, "\(wrong.count) elements")
        }
    }

    @Test func aWrongStatusIsFound() throws {
        let target = try albumWithRenamedArtist()
        let none = said("/v1/catalog/us/albums/1", now)
        #expect(judge(none, target, [now, before])?.reason == "status 404 instead of [200]")
        #expect(judge(none, "/v1/catalog/us/albums/2", [now]) == nil, "the id of an error is new with every answer")
    }
}

extension JSON {
    fileprivate subscript(path names: ArraySlice<Substring>) -> JSON? {
        get {
            guard let name = names.first.map(String.init) else { return self }
            return (self[name] ?? Int(name).flatMap { self[$0] })?[path: names.dropFirst()]
        }
        set {
            guard let name = names.first.map(String.init) else {
                self = newValue ?? .null
                return
            }
            let rest = names.dropFirst()
            if case .array(var elements) = self, let index = Int(name) {
                elements[index][path: rest] = newValue
                self = .array(elements)
            } else if rest.isEmpty {
                self[member: name] = newValue
            } else {
                self[member: name]?[path: rest] = newValue
            }
        }
    }
}
