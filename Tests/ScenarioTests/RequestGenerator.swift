import Foundation
import TestSupport

@testable import Simulator

/// Seeded requests as several apps would make them: each app has its habits of spelling, of page
/// sizes and of includes, and all of them are about the same few albums, artists, songs and
/// playlists, so that answers and their parts meet again and again.
struct RequestGenerator {
    /// How one app writes its requests.
    private struct Habit {
        /// The characters that it does not escape in a query, of those that other apps escape.
        let plain: String
        let order: Order
        let pageSizes: [Int]
        var language: String?
        var storefront = "us"

        enum Order { case asWritten, sorted, shuffled }
    }

    private static let habits = [
        Habit(plain: ",[]:", order: .asWritten, pageSizes: [25, 100]),
        Habit(plain: "", order: .sorted, pageSizes: [10, 20, 50]),
        Habit(plain: ",", order: .shuffled, pageSizes: [1, 5, 30], language: "es-MX"),
        Habit(plain: "[]:", order: .shuffled, pageSizes: [7, 100, 300], storefront: "gb"),
        Habit(plain: ",[]:", order: .sorted, pageSizes: [25], language: "de-DE", storefront: "de"),
    ]

    private static let includes: [String: [String]] = [
        "albums": ["artists", "artists,genres", "genres,artists", "tracks", "artists,record-labels", "genres"],
        "artists": ["albums", "genres,albums", "albums,genres", "playlists", "music-videos", "genres"],
        "songs": ["artists", "albums,artists", "artists,albums", "albums", "genres,albums", "composers,station"],
        "playlists": ["curator", "tracks,curator", "tracks", "curator,nonsense"],
    ]
    private static let relations: [String: [String]] = [
        "albums": ["tracks", "tracks", "artists", "genres", "view/other-versions", "view/related-albums"],
        "artists": ["albums", "albums", "music-videos", "playlists", "view/top-songs", "view/full-albums"],
        "songs": ["albums", "artists", "composers", "genres"],
        "playlists": ["tracks", "tracks", "tracks", "curator", "view/featured-artists"],
    ]
    private static let views: [String: String] = [
        "albums": "other-versions,related-albums", "artists": "top-songs,latest-release",
        "playlists": "more-by-curator",
    ]

    private var random: SeededGenerator
    /// Ids that the API has, by type; the first are the most popular.
    private let ids: [String: [String]]
    /// Links that answers held, waiting to be followed.
    private var links: [String] = []
    /// Whether some ids are other names of resources.
    private let hasAliases: Bool

    init(seed: UInt64, pool: RequestPool, hasAliases: Bool = false) {
        self.hasAliases = hasAliases
        random = SeededGenerator(seed: seed)
        ids = pool.ids
    }

    mutating func next() -> OracleRequest {
        var request = draw()
        if chance(3), request.user == nil { request.method = "HEAD" }
        return request
    }

    /// A page of a long list: two apps ask for the same lists in pages of their own.
    mutating func nextPage() -> OracleRequest {
        if chance(15), let link = link() { return link }
        let path = chance(80) ? "playlists/\(id("playlists"))/tracks" : "artists/\(id("artists"))/albums"
        var parameters = [("limit", "\(pick([10, 25, 50, 100]))")]
        if chance(60) { parameters.append(("offset", "\(pick([10, 20, 25, 30, 50, 75]))")) }
        return catalog(Self.habits[number(below: 2)], path, parameters)
    }

    /// A request in one of few forms about few resources, so that what is learnt of a form is used
    /// soon: one or several, with and without includes, in two storefronts and languages.
    mutating func nextOfFewForms() -> OracleRequest {
        let type = pick(["albums", "songs", "artists"])
        var parameters = chance(25) ? [("l", "es-MX")] : []
        var habit = Self.habits[0]
        if chance(25) { (habit.storefront, parameters) = ("gb", []) }
        if chance(10) { return catalog(habit, "\(type)/\(few(type))/\(Self.fewRelations[type] ?? "")", parameters) }
        if chance(5) { parameters.append(("extend", "artistUrl")) }
        let include = pick(Self.fewIncludes[type] ?? [""])
        if !include.isEmpty { parameters.append(("include", include)) }
        switch number(below: 5) {
        case 0, 1: return catalog(habit, "\(type)/\(few(type))", parameters)
        case 2: return catalog(habit, type, [("ids", few(type))] + parameters)
        default:
            let ids = (0..<(2 + number(below: 2))).map { _ in few(type) }
            return catalog(habit, type, [("ids", ids.joined(separator: ","))] + parameters)
        }
    }

    private static let fewIncludes = [
        "albums": ["", "", "artists", "artists,genres"],
        "songs": ["", "", "artists", "albums,artists", "artists,genres"],
        "artists": ["", "", "albums", "genres"],
    ]
    private static let fewRelations = ["albums": "tracks", "songs": "artists", "artists": "albums"]

    private mutating func few(_ type: String) -> String { id(type, most: 10) }

    /// Remembers the links of an answer, to follow them as the origin wrote them.
    mutating func learn(from body: Data) {
        let name = Data("\"next\":\"".utf8)
        var rest = body[...]
        while links.count < 64, let found = rest.range(of: name) {
            let link = rest[found.upperBound...].prefix { $0 != UInt8(ascii: "\"") }
            links.append(String(decoding: link, as: UTF8.self).replacingOccurrences(of: "\\/", with: "/"))
            rest = rest[link.endIndex...]
        }
    }

    /// A number below `bound` for the run that sends the requests.
    mutating func number(below bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }

    /// The id of one of the resources that the requests are about.
    mutating func anyID(of type: String) -> String { id(type) }

    private mutating func draw() -> OracleRequest {
        let habit = pick(Self.habits)
        switch number(below: 100) {
        case 0..<24: return single(habit)
        case 24..<52: return batch(habit)
        case 52..<58: return severalTypes(habit)
        case 58..<76: return page(habit)
        case 76..<86: return link() ?? page(habit)
        case 86..<91: return results(habit)
        case 91..<94: return personal()
        default: return odd(habit)
        }
    }

    private mutating func single(_ habit: Habit) -> OracleRequest {
        let type = pick(["albums", "albums", "songs", "artists", "playlists", "music-videos"])
        var parameters = decorations(type, habit)
        if chance(8), let views = Self.views[type] { parameters.append(("views", views)) }
        return catalog(habit, "\(type)/\(id(type))", parameters)
    }

    /// Single resources that an app asks for one by one, all at once.
    mutating func burst() -> [OracleRequest] {
        let (habit, type) = (pick(Self.habits), pick(["albums", "songs", "artists"]))
        let parameters = language(habit) + (chance(30) ? [("include", pick(Self.includes[type] ?? ["artists"]))] : [])
        return (0..<8).map { _ in catalog(habit, "\(type)/\(id(type))", parameters) }
    }

    private mutating func batch(_ habit: Habit) -> OracleRequest {
        let type = pick(["albums", "albums", "songs", "songs", "artists", "playlists"])
        return catalog(habit, type, [("ids", list(type))] + decorations(type, habit))
    }

    private mutating func severalTypes(_ habit: Habit) -> OracleRequest {
        var parameters = [("ids[albums]", list("albums")), ("ids[songs]", list("songs"))]
        if chance(50) { parameters.append(("ids[artists]", list("artists"))) }
        if chance(30) { parameters.append(("include[songs]", "artists")) }
        return catalog(habit, "", parameters + language(habit))
    }

    /// One to five ids, some of them twice, some that do not exist.
    private mutating func list(_ type: String) -> String {
        var list = (0..<(1 + number(below: type == "playlists" ? 2 : 5))).map { _ in id(type) }
        if chance(15), let first = list.first { list.append(first) }
        return list.joined(separator: ",")
    }

    private mutating func page(_ habit: Habit) -> OracleRequest {
        let type = pick(["albums", "artists", "artists", "playlists", "playlists", "songs"])
        let relation = pick(Self.relations[type] ?? ["artists"])
        var parameters = language(habit)
        if chance(65) { parameters.append(("limit", "\(pick(habit.pageSizes))")) }
        if chance(55) { parameters.append(("offset", "\(pick([0, 5, 10, 20, 25, 30, 40, 50, 60, 100, 999]))")) }
        if chance(10) { parameters.append(("include", pick(["artists", "albums"]))) }
        if chance(5) { parameters.append(("extend", "artistUrl")) }
        return catalog(habit, "\(type)/\(id(type))/\(relation)", parameters)
    }

    private mutating func link() -> OracleRequest? {
        guard !links.isEmpty else { return nil }
        return OracleRequest(target: links.remove(at: number(below: links.count)))
    }

    private mutating func results(_ habit: Habit) -> OracleRequest {
        guard chance(70) else {
            let types = pick(["songs", "albums,artists", "artists,albums"])
            return catalog(habit, "search", [("term", pick(["moon", "silver", "été", "100%"])), ("types", types)])
        }
        let types = pick(["albums", "songs,albums", "playlists"])
        return catalog(habit, "charts", [("types", types), ("limit", "\(pick([5, 20]))")] + language(habit))
    }

    private mutating func personal() -> OracleRequest {
        let target = pick([
            "/v1/me/library/albums?limit=5", "/v1/me/storefront", "/v1/me/recent/played/tracks?types=songs&limit=5",
            "/v1/catalog/us/stations?filter[identity]=personal", "/v1/catalog/us/albums/\(id("albums"))/library",
        ])
        return OracleRequest(target: target, user: pick(["user-anna", "user-ben", "broken"]))
    }

    private mutating func odd(_ habit: Habit) -> OracleRequest {
        switch number(below: 8) {
        case 0: return catalog(habit, "albums", [("ids", "")])
        case 1: return catalog(habit, "albums/\(id("albums"))/nonsense", [])
        case 2: return catalog(habit, "albums/\(id("albums"))/tracks", [("limit", pick(["abc", "301", "0"]))])
        case 3: return catalog(habit, "albums/\(id("albums"))", [("l", "zh-tw-x-")])
        case 4: return catalog(habit, "songs", [("filter[isrc]", "QQQAA0000001")])
        case 5: return catalog(habit, "albums", [("ids", list("albums")), ("restrict", "explicit")])
        case 6: return catalog(habit, "genres", language(habit))
        default: return OracleRequest(target: pick(["/v1/storefronts", "/v1/storefronts?ids=us,de", "/v1/test"]))
        }
    }

    /// The parameters apart from those that name resources.
    private mutating func decorations(_ type: String, _ habit: Habit) -> [(String, String)] {
        var parameters = language(habit)
        if chance(45) { parameters.append(("include", pick(Self.includes[type] ?? ["artists"]))) }
        switch number(below: 40) {
        case 0, 1: parameters.append(("extend", pick(["artistUrl", "artistUrl,editorialVideo"])))
        case 2: parameters.append(("extend[artists]", "editorialVideo"))
        case 3: parameters.append(("fields", "name,artistName"))
        case 4: parameters.append(("fields[artists]", "name"))
        case 5, 6: parameters.append(("include[songs]", pick(["artists", "albums"])))
        case 7: parameters.append(("relate", "genres"))
        case 8, 9: parameters.append(("limit[\(pick(["tracks", "albums", "artists:albums"]))]", "\(pick([2, 5]))"))
        case 10: parameters.append(("platform", "web"))
        default: break
        }
        return parameters
    }

    private mutating func language(_ habit: Habit) -> [(String, String)] {
        if chance(4) { return [("l", pick(["xx-YY", "en-GB"]))] }
        guard let language = habit.language, chance(60) else { return [] }
        return [("l", language)]
    }

    private mutating func catalog(_ habit: Habit, _ path: String, _ parameters: [(String, String)]) -> OracleRequest {
        var parameters = parameters
        switch habit.order {
        case .asWritten: break
        case .sorted: parameters.sort { $0.0 < $1.0 }
        case .shuffled: parameters.shuffle(using: &random)
        }
        let allowed = CharacterSet.alphanumerics.union(CharacterSet(charactersIn: "-._" + habit.plain))
        let query = parameters.map { name, value in
            let words = [name, value].map { $0.addingPercentEncoding(withAllowedCharacters: allowed) ?? $0 }
            return words.joined(separator: "=")
        }.joined(separator: "&")
        let base = "/v1/catalog/\(habit.storefront)" + (path.isEmpty ? "" : "/\(path)")
        return OracleRequest(target: query.isEmpty ? base : "\(base)?\(query)")
    }

    /// The first of a type's ids come up the most often; a few do not exist.
    private mutating func id(_ type: String, most: Int = .max) -> String {
        guard let ids = ids[type]?.prefix(most), !ids.isEmpty, !chance(4) else { return pick(["123", "1400000003"]) }
        let id = ids[min(number(below: ids.count), number(below: ids.count), number(below: ids.count))]
        return hasAliases && ["albums", "songs", "artists"].contains(type) && chance(12) ? "77" + id : id
    }

    private mutating func chance(_ percent: Int) -> Bool { number(below: 100) < percent }

    private mutating func pick<T>(_ choices: [T]) -> T { choices[number(below: choices.count)] }
}

/// The few resources that all requests are about, found by walking from the charts: playlists,
/// their songs, the songs' albums and artists.
struct RequestPool {
    let ids: [String: [String]]

    /// - Parameter playlists: how many of them.
    init(_ api: some Responder, playlists count: Int = 15) {
        var ids: [String: [String]] = [:]
        func identities(in target: String, of type: String, most: Int) {
            let body = api.respond(to: OracleRequest(target: target).simulated).body
            guard let document = try? JSONNode.parse(body) else { return }
            var found = ids[type] ?? []
            func walk(_ node: JSONNode) {
                if let identity = node.identity, identity.hasPrefix("\(type)/"), let id = node["id"]?.text {
                    if !found.contains(id), found.count < most { found.append(id) }
                }
                for member in node.members { walk(member.value) }
                for element in node.elements { walk(element) }
            }
            walk(document)
            ids[type] = found
        }
        let us = "/v1/catalog/us"
        identities(in: "\(us)/charts?types=playlists&limit=\(max(count, 20))", of: "playlists", most: count)
        identities(in: "\(us)/charts?types=music-videos&limit=6", of: "music-videos", most: 5)
        for playlist in ids["playlists"]?.prefix(15) ?? [] {
            let most = (ids["songs"]?.count ?? 0) + 6
            identities(in: "\(us)/playlists/\(playlist)/tracks?limit=20", of: "songs", most: min(most, 60))
        }
        // An artist with more albums than one page holds, and an album with more tracks.
        ids["artists"] = ["284004291"]
        for song in ids["songs"] ?? [] {
            identities(in: "\(us)/songs/\(song)", of: "albums", most: 40)
            identities(in: "\(us)/songs/\(song)", of: "artists", most: 30)
        }
        // Boxes of hundreds of songs are asked for too, but rarely.
        let albums = ids["albums"] ?? []
        let boxes = albums.filter { id in
            api.respond(to: OracleRequest(target: "\(us)/albums/\(id)/tracks?offset=100").simulated).status == 200
        }
        ids["albums"] = albums.filter { !boxes.contains($0) } + boxes
        self.ids = ids
    }
}
