import TestSupport
import Text

@testable import Recording
@testable import Simulator
@testable import Traffic

/// A recording made up of requests to the simulated API.
struct TraceUnderTest {
    let api: SimulatedAPI
    let songs: [String]
    let albums: [String]
    var exchanges: [RecordedExchange] = []
    private var contents: [BodyHash: [UInt8]] = [:]

    /// 2026-11-21T00:00:00Z.
    static let started = Timestamp(microseconds: 1_795_219_200_000_000)

    init() throws {
        var configuration = SimulatorConfiguration()
        configuration.artists = 300
        api = SimulatedAPI(configuration: configuration)
        let api = api
        func ids(_ type: String) throws -> [String] {
            let chart = try JSON.parse(
                Self.response(of: api, "/v1/catalog/us/charts?types=\(type)&limit=100").body)["results"]?[type]
            return (chart?[0]?["data"]?.arrayValue ?? []).compactMap { $0["id"]?.stringValue }
        }
        songs = try ids("songs")
        albums = try ids("albums")
    }

    private static func response(of api: SimulatedAPI, _ target: String) -> SimulatorResponse {
        api.respond(
            to: SimulatorRequest(
                target: Array(target.utf8), fields: [SimulatorField("Authorization", "Bearer aaa.bbb.ccc")],
                nowUnixSeconds: 1_795_219_200))
    }

    var traffic: RecordedTraffic { RecordedTraffic(exchanges, bodies: RecordedBodies(contents)) }

    /// A request at that time, answered as the API answers it.
    mutating func add(
        _ target: String, at offset: Duration, latency: Duration = .milliseconds(80),
        _ change: (inout RecordedExchange) -> Void = { _ in }
    ) {
        let response = Self.response(of: api, target)
        var exchange = RecordedExchange(
            time: Self.started + offset, offset: offset, method: "GET", target: target, status: response.status,
            latency: latency, length: response.body.count)
        exchange.upstreamLatency = latency
        exchange.fields = response.fields.map { RecordedField($0.name.lowercased(), $0.value) }
        if let hash = BodyHash(of: response.body) {
            contents[hash] = response.body
            exchange.body = hash
        }
        change(&exchange)
        exchanges.append(exchange)
    }

    mutating func addPersonal(at offset: Duration) {
        var exchange = RecordedExchange(
            time: Self.started + offset, offset: offset, method: "GET", target: "/v1/me/library/songs", status: 200,
            latency: .milliseconds(90), length: 5000)
        exchange.isPersonal = true
        exchanges.append(exchange)
    }

    /// Adds requests as apps send them, from a seed: popular things more often.
    mutating func addMixture(_ count: Int, seed: UInt64, every gap: Duration) {
        var random = SeededGenerator(seed: seed)
        func popular(_ ids: [String]) -> String {
            let point = Double.random(in: 0..<1, using: &random)
            return ids[Int(point * point * Double(ids.count))]
        }
        for number in 0..<count {
            let offset = gap * number
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<9: add("/v1/catalog/us/songs/\(popular(songs))", at: offset)
            case 9..<12: add("/v1/catalog/us/albums/\(popular(albums))", at: offset)
            case 12..<14: add("/v1/catalog/us/albums/\(popular(albums))?include=artists", at: offset)
            case 14: add("/v1/catalog/us/songs?ids=\(popular(songs)),\(popular(songs))", at: offset)
            case 15: add("/v1/catalog/us/albums/\(popular(albums))/tracks?limit=5", at: offset)
            case 16: add("/v1/catalog/us/charts?types=songs", at: offset)
            case 17: add("/v1/catalog/us/search?term=\(popular(songs))&types=songs", at: offset)
            case 18: add("/v1/catalog/us/songs/does-not-exist-\(number % 7)", at: offset)
            default: addPersonal(at: offset)
            }
        }
    }
}
