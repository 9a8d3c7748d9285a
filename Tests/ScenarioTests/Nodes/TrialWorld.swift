import TestSupport
import Text

@testable import Simulator

/// An origin, and what clients ask of it: sessions of apps in three storefronts that search, and
/// read charts, artists, albums and songs, one by one, in batches and page by page.
enum TrialWorld {
    struct Request: Sendable {
        let target: String
        let status: Int
        /// Place of the request whose answer the client needs first.
        let predecessor: Int?
    }

    static let api = SimulatedAPI(configuration: origin)

    private static let origin: SimulatorConfiguration = {
        var origin = SimulatorConfiguration()
        // A catalog that takes a debug build less long to make.
        (origin.seed, origin.artists) = (20_261_125, TestSize.of(500, release: 700))
        // Misses are under way together.
        (origin.requiresAuthorization, origin.latency) = (false, .milliseconds(20))
        return origin
    }()

    /// Sessions that are under way together, each of which waits for its own answers.
    private static let atOnce = 16

    static let requests: [Request] = {
        var reader = TrialReader(origin)
        var requests: [Request] = []
        let count = TestSize.of(700, release: 1_000)
        while requests.count < count {
            let sessions = (0..<atOnce).map { _ in reader.session() }
            var last = [Int?](repeating: nil, count: atOnce)
            for step in 0..<(sessions.map(\.count).max() ?? 0) {
                for (index, session) in sessions.enumerated() where step < session.count {
                    let (target, status) = session[step]
                    requests.append(Request(target: target, status: status, predecessor: last[index]))
                    last[index] = requests.count - 1
                }
            }
        }
        return requests
    }()
}

/// Writes sessions: it reads the answers as an app does, to know what comes next.
private struct TrialReader {
    private let api: SimulatedAPI
    private var random: SeededGenerator
    private var answers: [String: (status: Int, body: JSON)] = [:]
    /// Identifiers and the letters of names, the most wanted first.
    private var artists: [(id: String, letters: String)] = []
    private var asked: [(target: String, status: Int)] = []
    private var base = ""

    init(_ configuration: SimulatorConfiguration) {
        (api, random) = (SimulatedAPI(configuration: configuration), SeededGenerator(seed: configuration.seed))
        base = "/v1/catalog/us/"
        let albums = ask("charts?types=albums&limit=50")["results"]?["albums"]?[0]
        for album in Self.identifiers(albums) {
            let body = ask("albums/\(album)?include=artists")
            for artist in body["data"]?[0]?["relationships"]?["artists"]?["data"]?.arrayValue ?? [] {
                guard let id = artist["id"]?.stringValue, !artists.contains(where: { $0.id == id }) else { continue }
                let name = artist["attributes"]?["name"]?.stringValue ?? ""
                artists.append((id, name.lowercased().filter { $0.isASCII && $0.isLetter }))
            }
        }
    }

    mutating func session() -> [(target: String, status: Int)] {
        asked = []
        base = "/v1/catalog/\(["us", "us", "us", "gb", "jp"][draw(5)])/"
        let (artist, letters) = choice(artists)
        if chance(40) { ask("charts?types=albums,songs&limit=25") }
        if chance(50), letters.count >= 5 {
            for length in 3...5 { ask("search/hints?limit=10&term=\(letters.prefix(length))") }
            ask("search?types=artists,albums&limit=25&term=\(letters.prefix(5))")
        }
        var albums = Self.identifiers(ask("artists/\(artist)?include=albums")["data"]?[0]?["relationships"]?["albums"])
        if chance(60) { albums += walk("artists/\(artist)/albums", limit: [10, 25, 100][draw(3)]) }
        if chance(50) { ask("artists/\(artist)/view/top-songs") }
        guard !albums.isEmpty else { return asked }
        if chance(40) { ask("albums?ids=" + (0..<4).map { _ in choice(albums) }.joined(separator: ",")) }
        let include = ["", "?include=artists", "?include=artists,genres"][draw(3)]
        let tracks = ask("albums/\(choice(albums))\(include)")["data"]?[0]?["relationships"]?["tracks"]
        let songs = Self.identifiers(tracks)
        guard !songs.isEmpty else { return asked }
        for _ in 0..<draw(4) { ask("songs/\(choice(songs))" + (chance(50) ? "?include=albums,artists" : "")) }
        if chance(40) { ask("songs?ids=" + songs.prefix(8).joined(separator: ",")) }
        return asked
    }

    /// Up to four pages of a list.
    private mutating func walk(_ list: String, limit: Int) -> [String] {
        var (found, offset): ([String], Int) = ([], 0)
        for _ in 0..<4 {
            let page = ask("\(list)?limit=\(limit)&offset=\(offset)")
            found += Self.identifiers(page)
            guard page["next"] != nil else { break }
            offset += limit
        }
        return found
    }

    @discardableResult
    private mutating func ask(_ path: String) -> JSON {
        let target = base + path
        let answer = answers[target] ?? answer(to: target)
        answers[target] = answer
        asked.append((target, answer.status))
        return answer.body
    }

    /// The catalog does not depend on the time.
    private func answer(to target: String) -> (status: Int, body: JSON) {
        let response = api.respond(to: SimulatorRequest(target: Array(target.utf8), nowUnixSeconds: 1_790_000_000))
        return (response.status, (try? JSON.parse(response.body)) ?? .null)
    }

    private static func identifiers(_ list: JSON?) -> [String] {
        (list?["data"]?.arrayValue ?? []).compactMap { $0["id"]?.stringValue }
    }

    /// One of the list, the first the likeliest.
    private mutating func choice<Element>(_ list: [Element]) -> Element {
        let place = Double.random(in: 0..<1, using: &random)
        return list[Int(place * place * Double(list.count))]
    }

    private mutating func draw(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
    private mutating func chance(_ percent: Int) -> Bool { draw(100) < percent }
}
