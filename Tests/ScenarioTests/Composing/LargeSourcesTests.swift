import Cache
import Compose
import Foundation
import TestSupport
import Testing

/// Answers that are composed of large ones in the file.
@Suite(.timeLimit(.minutes(10))) struct LargeSourcesTests {
    private let folder: TemporaryFolder
    private let origin: FakeOrigin

    private static let playlists = 1...6
    /// Name of each of a playlist's ten songs.
    private static let filler = String(decoding: [UInt8](repeating: UInt8(ascii: "x"), count: 200_000), as: UTF8.self)
    private static let path = "/v1/catalog/us/songs?ids="

    init() throws {
        folder = try TemporaryFolder()
        origin = try FakeOrigin { request in
            let last = request.target.components(separatedBy: "/").last ?? ""
            guard last.hasPrefix("pl.") else {
                return FakeOrigin.Reply(body: Self.songs(ScriptedSongs.ids(request.target)))
            }
            let tracks = (0..<10).map { Self.song("\(last.dropFirst(3))0\($0)") }.joined(separator: ",")
            return FakeOrigin.Reply(
                body: #"{"data":[{"id":"\#(last)","type":"playlists","href":"/v1/catalog/us/playlists/\#(last)","#
                    + #""attributes":{"name":"p"},"relationships":{"tracks":{"href":"/t","data":[\#(tracks)]}}}]}"#)
        }
    }

    private static func song(_ id: String) -> String {
        #"{"id":"\#(id)","type":"songs","href":"/v1/catalog/us/songs/\#(id)","attributes":{"name":"\#(filler)"}}"#
    }

    private static func songs(_ ids: [String]) -> String { "{\"data\":[\(ids.map(song).joined(separator: ","))]}" }

    /// A proxy that finds the playlists in its file, and has none in memory.
    private func restarted(after stored: Bool) throws -> ProxyUnderTest {
        let proxy = try ProxyUnderTest(
            before: origin, cache: ResponseCache(mebibytes: 64, file: folder.file("cache")), composition: .byExample())
        if stored {
            waitUntil { proxy.isIndexComplete }
            return proxy
        }
        let lists = ["100,101,102", "103,104", "106,107,108"].map { Self.path + $0 }
        for target in Self.playlists.map({ "/v1/catalog/us/playlists/pl.\($0)" }) + lists {
            #expect(try proxy.client.send("GET", target).status == 200)
        }
        proxy.stop()
        return try restarted(after: true)
    }

    /// The first was put together of 560 MB for two seconds, in which its loop did nothing else.
    @Test func tooManyBytesAreLeftToTheOrigin() throws {
        let proxy = try restarted(after: false)
        let before = origin.requests.count
        let ids = Self.playlists.map { "\($0)05" }
        let reply = try proxy.client.send("GET", Self.path + ids.joined(separator: ","))
        #expect(String(decoding: reply.body, as: UTF8.self) == Self.songs(ids))
        #expect(reply.field("Cache-Status")?.contains("fwd=uri-miss") == true && origin.requests.count == before + 1)
        let counted = proxy.statistics.notComposed.first { $0.reason == .sourcesTooLarge }
        #expect(counted?.rule == .batch && counted?.count == 1)
    }

    /// Each needs nearly all that one may read. They come together and are composed in turn.
    @Test func severalAtOnceAreComposedOneAfterTheOther() throws {
        let proxy = try restarted(after: false)
        let before = origin.requests.count
        let lists = (0..<8).map { number in [1, 2, 3].map { "\((number + $0) % 6 + 1)0\(number)" } }
        let clients = try lists.map { _ in try proxy.connection() }
        for (client, ids) in zip(clients, lists) {
            try client.send(.get(Self.path + ids.joined(separator: ","), closes: true))
        }
        for (client, ids) in zip(clients, lists) {
            let text = client.readText()
            #expect(text.contains("hit; ttl=") && text.hasSuffix(Self.songs(ids)), "\(text.prefix(300))")
        }
        #expect(origin.requests.count == before, "\(proxy.statistics.notComposed.filter { $0.count > 0 })")
    }
}
