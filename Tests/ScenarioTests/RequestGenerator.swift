import Foundation
import Simulator
import TestSupport

/// Seeded requests as several apps would make them: single resources, batches, includes, pages, searches, charts, personal
/// lists; spelt in different ways; some for what does not exist.
struct RequestGenerator {
    private var random: SeededGenerator
    private let storefronts = ["us", "gb", "de", "fr", "jp"]
    /// Ids that the API was seen to have, by type.
    private let ids: [String: [String]]

    /// - Parameter api: asked for its charts and the tracks of some albums, to learn ids from.
    init(seed: UInt64, api: some Responder) {
        random = SeededGenerator(seed: seed)
        var ids: [String: [String]] = [:]
        func collect(_ value: Any) {
            if let object = value as? [String: Any] {
                if let id = object["id"] as? String, let type = object["type"] as? String {
                    ids[type, default: []].append(id)
                }
                for key in object.keys.sorted() { collect(object[key] as Any) }
            } else if let array = value as? [Any] {
                for element in array { collect(element) }
            }
        }
        for target in [
            "/v1/catalog/us/charts?types=albums,songs,music-videos,playlists&limit=50",
            "/v1/catalog/us/search?term=love&types=albums,artists,songs,playlists&limit=25", "/v1/catalog/us/genres",
        ] {
            let body = api.respond(to: RequestGenerator.request(target)).body
            if let json = try? JSONSerialization.jsonObject(with: Data(body)) { collect(json) }
        }
        self.ids = ids.mapValues { Array(Set($0)).sorted() }
    }

    static func request(_ target: String, user: String? = nil) -> SimulatorRequest {
        var fields = [SimulatorField("Host", "localhost")]
        if let user { fields.append(SimulatorField("Music-User-Token", user)) }
        return SimulatorRequest(target: Array(target.utf8), fields: fields, nowUnixSeconds: 1_790_000_000)
    }

    /// A GET target, and the user on whose behalf it is made.
    mutating func next() -> (target: String, user: String?) {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<25: return (catalog(single()), nil)
        case 25..<40: return (catalog(batch()), nil)
        case 40..<55: return (catalog(page()), nil)
        case 55..<65: return (catalog(search()), nil)
        case 65..<75: return (catalog(charts()), nil)
        case 75..<85: return (personal(), pick(["user-anna", "user-ben", "broken"]))
        case 85..<90:
            return (pick(["/v1/storefronts", "/v1/storefronts/jp", "/v1/storefronts?ids=us,de", "/v1/test"]), nil)
        default: return (catalog(odd()), nil)
        }
    }

    private mutating func catalog(_ rest: String) -> String {
        "/v1/catalog/\(pick(storefronts))/\(rest)"
    }

    private mutating func single() -> String {
        let type = pick(["albums", "songs", "artists", "playlists", "music-videos"])
        return "\(type)/\(id(type))" + query([include(type), language(), extend()])
    }

    private mutating func batch() -> String {
        let type = pick(["albums", "songs", "artists"])
        let count = Int.random(in: 1...6, using: &random)
        let list = (0..<count).map { _ in id(type) }.joined(separator: chance(20) ? "%2C" : ",")
        return type + query(["ids=" + list, include(type), language()])
    }

    private mutating func page() -> String {
        let (type, relation) = pick([
            ("albums", "tracks"), ("artists", "albums"), ("playlists", "tracks"), ("albums", "artists"),
            ("artists", "view/top-songs"), ("albums", "view/other-versions"),
        ])
        let limit = chance(60) ? "limit=\(pick([1, 5, 10, 25, 100, 400]))" : nil
        let offset = chance(50) ? "offset=\(pick([0, 5, 25, 30, 100, 999]))" : nil
        return "\(type)/\(id(type))/\(relation)" + query([limit, offset, language()])
    }

    private mutating func search() -> String {
        let term = pick(["love", "night+sky", "night%20sky", "été", "100%25", "愛", "zzzz"])
        let escaped =
            term.contains("%") || term.contains("+")
            ? term : term.addingPercentEncoding(withAllowedCharacters: .alphanumerics)!
        let types = pick(["songs", "albums,artists", "artists,albums", "songs,albums,playlists,nonsense"])
        return pick(["search", "search", "search/hints", "search/suggestions"])
            + query(["term=" + escaped, "types=" + types, chance(50) ? "limit=\(pick([1, 5, 25, 26]))" : nil])
    }

    private mutating func charts() -> String {
        "charts"
            + query([
                "types=" + pick(["albums", "songs,albums", "songs,albums,playlists", "music-videos"]),
                chance(50) ? "limit=\(pick([1, 20, 50, 201]))" : nil,
                chance(30) ? "offset=\(pick([0, 20, 199, 200]))" : nil,
                chance(20) ? "genre=\(pick(["14", "20", "21"]))" : nil,
            ])
    }

    private mutating func personal() -> String {
        pick([
            "/v1/me/storefront", "/v1/me/library/songs?limit=10", "/v1/me/library/albums",
            "/v1/me/recent/played/tracks?types=songs&limit=30", "/v1/me/ratings/songs?ids=1,2",
            "/v1/me/library/playlists", "/v1/me/history/heavy-rotation", "/v1/me/recommendations",
            "/v1/catalog/us/stations?filter[identity]=personal",
        ])
    }

    private mutating func odd() -> String {
        pick([
            "genres", "albums/999999999999", "albums?ids=", "albums/1/nonsense", "songs?filter[isrc]=QQQAA0000001",
            "songs?filter%5Bisrc%5D=QQQAA0000001", "nonsense/1", "albums/\(id("albums"))?l=zh-tw-x-",
            "albums/\(id("albums"))/tracks?limit=abc",
        ])
    }

    private mutating func include(_ type: String) -> String? {
        guard chance(40) else { return nil }
        return "include="
            + pick([
                "artists", "albums,artists", "artists,albums", "genres,artists", "tracks", "nonsense", "albums,genres",
            ])
    }

    private mutating func language() -> String? {
        chance(15) ? "l=" + pick(["en-US", "de-DE", "ja", "xx-YY"]) : nil
    }

    private mutating func extend() -> String? {
        chance(10) ? "extend=" + pick(["artistUrl", "editorialVideo,artistUrl", "artistUrl,editorialVideo"]) : nil
    }

    private mutating func id(_ type: String) -> String {
        chance(8) ? "123" : pick(ids[type] ?? ["1"])
    }

    /// The parameters in a random order; some with escaped brackets.
    private mutating func query(_ parameters: [String?]) -> String {
        let present = parameters.compactMap { $0 }.shuffled(using: &random)
        return present.isEmpty ? "" : "?" + present.joined(separator: "&")
    }

    private mutating func chance(_ percent: Int) -> Bool {
        Int.random(in: 0..<100, using: &random) < percent
    }

    private mutating func pick<T>(_ choices: [T]) -> T {
        choices[Int.random(in: 0..<choices.count, using: &random)]
    }
}
