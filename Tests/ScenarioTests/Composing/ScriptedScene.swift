import Compose
import Foundation
import Proxy
import Server
import TestSupport

@testable import Cache
@testable import Upstream

/// A proxy before an origin whose answers a test decides.
final class ScriptedScene {
    let proxy: ProxyUnderTest
    let warnings = Warnings()
    let clock = ManualClock(1_790_000_000)

    init(
        _ settings: CompositionSettings = .byExample(), policy: Policy = Policy(), provesTokens: Bool = false,
        verifySample: Int = 0, connections: Int = 32, budget: UpstreamBudget = UpstreamBudget(),
        _ answer: @escaping @Sendable (FakeOrigin.Request) -> FakeOrigin.Reply
    ) throws {
        let (clock, warnings) = (clock, warnings)
        proxy = try ProxyUnderTest(
            before: FakeOrigin(answer), cache: ResponseCache(mebibytes: 64), policy: policy,
            timeOfDay: TimeOfDay { clock.unixSeconds }, composition: settings, verifySample: verifySample,
            budget: budget, provesTokens: provesTokens, adjusting: { $0.maxConnections = connections },
            warn: { warnings.add($0) })
    }

    var origin: FakeOrigin { proxy.origin }

    /// The targets that reached the origin, in order.
    var upstream: [String] { origin.requests.map(\.target) }
}

/// The lists of albums of made-up artists, whose every place has an item unless it is a gap. A page
/// has 25 places, or as many as asked for, 100 at most; `next` keeps `l` alone.
struct ListOrigin: Sendable {
    var count = 230
    var gaps: Set<Int> = []

    func answer(_ target: String) -> FakeOrigin.Reply {
        let parts = URLComponents(string: target)
        let query = Dictionary((parts?.queryItems ?? []).map { ($0.name, $0.value ?? "") }) { one, _ in one }
        let segments = (parts?.path ?? "").split(separator: "/")
        let limit = Int(query["limit"] ?? "25") ?? 0
        guard segments.count == 6, segments[3] == "artists", (1...100).contains(limit) else {
            return FakeOrigin.Reply(status: 400, body: #"{"errors":[{"status":"400"}]}"#)
        }
        let page = page(of: String(segments[4]), offset: Int(query["offset"] ?? "0") ?? 0, limit, query["l"])
        return FakeOrigin.Reply(
            fields: [("Content-Type", "application/json"), ("ETag", "\"of the origin\"")], body: "{\(page)}")
    }

    private func page(of artist: String, offset: Int, _ limit: Int, _ language: String?) -> String {
        let end = min(offset + limit, count)
        let albums = (min(offset, end)..<end).filter { !gaps.contains($0) }.map { place in
            let id = "\(artist)\(1000 + place)"
            return "{\"id\":\"\(id)\",\"type\":\"albums\",\"href\":\"/v1/catalog/us/albums/\(id)\","
                + "\"attributes\":{\"name\":\"\(language ?? "")\(place)\"}}"
        }
        let data = "\"data\":[\(albums.joined(separator: ","))]"
        guard end < count else { return data }
        let query = (language.map { "l=\($0)&" } ?? "") + "offset=\(end)"
        return "\"next\":\"/v1/catalog/us/artists/\(artist)/albums?\(query)\",\(data)"
    }
}

/// A proxy before such lists.
final class ListScene: ComparedScene {
    private let list: ListOrigin
    let scene: ScriptedScene
    var proxy: ProxyUnderTest { scene.proxy }
    var upstream: [String] { scene.upstream }

    init(_ settings: CompositionSettings = .byExample(), count: Int = 230, gaps: Set<Int> = []) throws {
        let list = ListOrigin(count: count, gaps: gaps)
        self.list = list
        scene = try ScriptedScene(settings) { list.answer($0.target) }
    }

    func direct(_ target: String) -> NSObject? {
        try? JSONSerialization.jsonObject(with: Data(list.answer(target).body.utf8)) as? NSObject
    }

    static func target(_ artist: Int, _ query: String = "") -> String {
        "/v1/catalog/us/artists/\(artist)/albums" + (query.isEmpty ? "" : "?" + query)
    }
}

/// Songs of any id, as an origin shows them that tests script.
enum ScriptedSongs {
    /// The ids that a request for a batch names; none for other requests.
    static func batch(_ target: String) -> [String] {
        guard let list = target.components(separatedBy: "ids=").dropFirst().first else { return [] }
        return list.removingPercentEncoding?.components(separatedBy: ",") ?? []
    }

    /// The ids that a target names, in its `ids` or at the end of its path.
    static func ids(_ target: String) -> [String] {
        let batch = batch(target)
        return batch.isEmpty ? [target.components(separatedBy: "/").last ?? ""] : batch
    }

    static func body(_ ids: [String]) -> String {
        let songs = ids.map { id in
            #"{"id":"\#(id)","type":"songs","href":"/v1/catalog/us/songs/\#(id)","attributes":{"name":"\#(id)"}}"#
        }
        return "{\"data\":[\(songs.joined(separator: ","))]}"
    }

    static func reply(_ request: FakeOrigin.Request) -> FakeOrigin.Reply {
        FakeOrigin.Reply(body: body(ids(request.target)))
    }

    /// The target of a request that a `ScriptedOrigin` has read.
    static func target(_ request: String) -> String {
        request.split(separator: " ", maxSplits: 2).dropFirst().first.map(String.init) ?? ""
    }

    static func response(_ ids: [String]) -> String { .ok(body(ids)) }
}

/// Albums of any id, each with one artist, which is shown where it is asked for.
enum ScriptedAlbums {
    static func id(_ target: String) -> String {
        target.components(separatedBy: "?")[0].components(separatedBy: "/").last ?? ""
    }

    static func reply(_ target: String, name: String? = nil) -> FakeOrigin.Reply {
        let (id, isWhole) = (id(target), !target.contains("include="))
        let shown = isWhole ? "" : #","attributes":{"name":"a"}"#
        return FakeOrigin.Reply(
            body: """
                {"data":[{"id":"\(id)","type":"albums","href":"/v1/catalog/us/albums/\(id)",\
                "attributes":{"name":"\(name ?? id)"},"relationships":{"artists":{"data":[\
                {"id":"7","type":"artists","href":"/v1/catalog/us/artists/7"\(shown)}]}}}]}
                """)
    }
}
