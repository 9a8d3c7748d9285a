import Foundation
import TestSupport
import Testing

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
        (Catalog(api.catalog, revision: before.catalog), Catalog(api.catalog, revision: now.catalog))
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
        let (before, now) = (Catalog(api.catalog, revision: (first ?? self.before).catalog), catalogs.now)
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
            let old = try Edited.value(said(album, before), path)
            let mixed = try Edited(said(album, now)) { $0.set(path, old) }.reply
            let found = path.replacing(".0", with: "[0]")
            #expect(judge(mixed, album, [now])?.path.hasPrefix(found + ".") == true, "\(path)")
            #expect(judge(mixed, album, [now, before]) == nil, "\(path)")
        }
    }

    /// Both are acceptable, and the origin never showed them together.
    @Test func attributesAndAListOfTwoRevisionsAreFound() throws {
        let first = Revision()
        let target = playlist(of: try playlistWithOtherTracks(since: first))
        let mixed = try Edited(said(target, now)) {
            $0.set("data.0.attributes", try Edited.value(said(target, first), "data.0.attributes"))
        }
        let difference = try #require(judge(mixed.reply, target, [now, first]))
        #expect(difference.rule == .mixed && difference.path == "data[0]")
        #expect(judge(said(target, first), target, [now, first]) == nil)
    }

    @Test func anArtistInTwoStatesIsFound() throws {
        let item = try albumWithRenamedArtist()
        let target = item.replacing("?", with: "/tracks?")
        let path = "data.0.relationships.artists.data.0"
        let old = try Edited.value(said(target, before), path)
        let mixed = try #require(try difference(target) { $0.set(path, old) })
        #expect(mixed.rule == .mixed && mixed.reason.contains("at two places"))
    }

    @Test func aListOfTwoRevisionsIsFound() throws {
        let page = try playlistWithOtherTracks()
        let nested = "data.0.relationships.tracks.data"
        for (target, path, found) in [
            (page, "data", "data["), (playlist(of: page), nested, "data[0].relationships.tracks.data"),
        ] {
            let new = try Edited.elements(said(target, now), path)
            let old = try Edited.elements(said(target, before), path)
            let mixed = try difference(target) { $0.set(path, Array(old.prefix(8) + new.dropFirst(8))) }
            #expect(mixed?.path.hasPrefix(found) == true)
            let shorter = try difference(target) { $0.set(path, Array(new.dropLast())) }
            #expect(shorter?.path.hasSuffix("data") == true)
        }
    }

    @Test func missingAndExtraPartsAreFound() throws {
        let (page, album) = (try playlistWithOtherTracks(), try albumWithRenamedArtist())
        let (artists, path) = ("data.0.relationships.artists", "data[0].relationships")
        #expect(try difference(page) { $0.remove("next") } != nil)
        #expect(try difference(page) { $0.set("next", "/v1/catalog/us/playlists/1/tracks?offset=20") }?.path == "next")
        #expect(try difference(album) { $0.remove(artists) }?.path == path)
        #expect(try difference(album) { $0.remove(artists + ".data.0.attributes") }?.path == path + ".artists.data[0]")
        #expect(try difference(album) { $0.set(artists + ".data", [Any]()) }?.path == path + ".artists.data")
        let tracks = "data.0.relationships.tracks.data.0.relationships"
        #expect(try difference(album) { $0.set(tracks, ["a": 1]) }?.path == path + ".tracks.data[0]")
    }

    /// The judgement on a changed answer of the later revision, of two that it may be of.
    private func difference(_ target: String, _ change: (inout Edited) throws -> Void) throws -> Difference? {
        judge(try Edited(said(target, now), change).reply, target, [now, before])
    }

    /// The playlist that a page of its tracks is of.
    private func playlist(of page: String) -> String { String(page.prefix { $0 != "?" }.dropLast("/tracks".count)) }

    @Test func aBatchWithOtherElementsIsFound() throws {
        let first = try album { isThere($2, $0, $1) }
        let second = try album { isThere($2, $0, $1) && $0.id(of: $2) != first }
        let target = "/v1/catalog/us?ids[albums]=\(first),\(second),\(first)"
        let all = try Edited.elements(said(target, now), "data")
        try #require(all.count == 2)
        for wrong in [[all[1], all[0]], [all[0]], [all[0], all[1], all[0]], []] {
            #expect(try difference(target) { $0.set("data", wrong) } != nil, "\(wrong.count) elements")
        }
    }

    @Test func aWrongStatusIsFound() throws {
        let target = try albumWithRenamedArtist()
        let none = said("/v1/catalog/us/albums/1", now)
        #expect(judge(none, target, [now, before])?.reason == "status 404 instead of [200]")
        #expect(judge(none, "/v1/catalog/us/albums/2", [now]) == nil, "the id of an error is new with every answer")
    }
}

/// An answer that a test has changed.
private struct Edited {
    private var document: Any

    init(_ reply: HTTPTestClient.Reply, _ change: (inout Edited) throws -> Void) throws {
        document = try JSONSerialization.jsonObject(with: reply.body)
        try change(&self)
    }

    var reply: HTTPTestClient.Reply {
        let body = try? JSONSerialization.data(
            withJSONObject: document, options: [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes])
        return HTTPTestClient.Reply(status: 200, fields: [], body: body ?? Data())
    }

    /// - Parameter path: for example `data.0.attributes`.
    mutating func set(_ path: String, _ value: Any) {
        document = Self.changed(document, path.split(separator: ".")[...], to: value)
    }

    mutating func remove(_ path: String) {
        document = Self.changed(document, path.split(separator: ".")[...], to: nil)
    }

    static func value(_ reply: HTTPTestClient.Reply, _ path: String) throws -> Any {
        var value = try JSONSerialization.jsonObject(with: reply.body)
        for name in path.split(separator: ".") {
            let member = (value as? [String: Any])?[String(name)]
            value = try #require(member ?? (value as? [Any])?[Int(name) ?? 0])
        }
        return value
    }

    static func elements(_ reply: HTTPTestClient.Reply, _ path: String) throws -> [Any] {
        try #require(try value(reply, path) as? [Any])
    }

    private static func changed(_ value: Any, _ path: ArraySlice<Substring>, to new: Any?) -> Any {
        guard let name = path.first else { return new ?? value }
        let rest = path.dropFirst()
        if var object = value as? [String: Any] {
            object[String(name)] =
                rest.isEmpty ? new : object[String(name)].map { changed($0, rest, to: new) }
            return object
        }
        guard var array = value as? [Any], let index = Int(name) else { return value }
        array[index] = changed(array[index], rest, to: new)
        return array
    }
}
