import Foundation
import TestSupport

/// Clients who know every setting and choose by a seed how to make the process large.
struct Adversary {
    enum Attack: CaseIterable {
        case composing, lists, slowReaders, largeRequests, waiters, closedWindows, compressing, purges, watching, reload
    }

    private let house: BoundedHouse
    private var random: SeededGenerator
    /// The clients that neither read nor leave.
    private var held: [RawClient] = []
    private var framed: [HTTP2TestClient] = []
    /// Playlists that the origin was asked for.
    private var playlists = 0
    private var fresh = 100_000

    private static let catalog = "/v1/catalog/us/"

    init(_ house: BoundedHouse, seed: UInt64) throws {
        (self.house, random) = (house, SeededGenerator(seed: seed))
        // The forms that are composed.
        for target in ["songs/1", "songs?ids=1,2,3", "songs?ids=4,5", "songs?ids=6,7,8"] {
            try get(Self.catalog + target)
        }
    }

    mutating func perform(_ attack: Attack) throws {
        if held.count > 600 || Int.random(in: 0..<4, using: &random) == 0 { (held, framed) = ([], []) }
        switch attack {
        case .composing: try compose()
        case .lists: try hold(Int.random(in: 20...90, using: &random)) { .get(Self.catalog + "songs/\($0)") }
        case .slowReaders: try hold(Int.random(in: 4...30, using: &random)) { .get(Self.catalog + "albums/\($0)") }
        case .largeRequests:
            let part = String(repeating: "x", count: Int.random(in: 10_000...900_000, using: &random))
            let head = "POST /v1/me/library HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n"
            try hold(Int.random(in: 4...40, using: &random)) { _ in head + part }
        case .waiters:
            fresh += 1
            let target = Self.catalog + "stations/\(fresh)"
            try hold(Int.random(in: 50...300, using: &random)) { _ in .get(target) }
        case .closedWindows: try closeWindows()
        case .compressing:
            for number in 0..<Int.random(in: 1...10, using: &random) {
                let target = Self.catalog + "songs?ids=" + (0..<20).map { "\(number * 50 + $0)" }.joined(separator: ",")
                for _ in 0..<2 { try get(target, "Accept-Encoding: gzip\r\n") }
            }
        case .purges: try purge()
        case .watching:
            for target in ["/events", "/entries?limit=10000", "/metrics", "/stats"] {
                let client = try RawClient(port: UInt16(house.adminPort), receiveBuffer: 4_096)
                try? client.send(.get(target))
                held.append(client)
            }
        case .reload: house.program.send(SIGHUP)
        }
    }

    /// Requests for songs each of which is in another answer of 7 MB, several at once.
    private mutating func compose() throws {
        while playlists < 80 {
            playlists += 1
            try get(Self.catalog + "playlists/pl.\(playlists)")
        }
        let requests = (0..<Int.random(in: 1...6, using: &random)).map { _ in
            let songs = (1...playlists).map { BoundedHouse.song(Int.random(in: 0..<100, using: &random), of: $0) }
            return String.get(Self.catalog + "songs?ids=" + songs.shuffled(using: &random).joined(separator: ","))
        }
        try hold(requests.count) { requests[$0 % requests.count] }
        let number = Int.random(in: 1...playlists, using: &random)
        try get(Self.catalog + "songs/" + BoundedHouse.song(50, of: number))
    }

    private mutating func closeWindows() throws {
        let client = try HTTP2TestClient(port: house.securePort, house.authority)
        client.send(.setting(4, 0))
        let first = fresh
        client.get((0..<60).map { UInt32(2 * $0 + 1) }) { Self.catalog + "albums/\(first + Int($0) % 20)" }
        fresh += 20
        framed.append(client)
        try get(Self.catalog + "albums/\(first)")
    }

    private mutating func purge() throws {
        let admin = HTTPTestClient(port: house.adminPort)
        let choices = ["\"storefront\":\"us\"", "\"prefix\":\"/v1/catalog/us/songs\"", "\"resource\":\"songs:1\""]
        for _ in 0..<Int.random(in: 1...30, using: &random) {
            let choice = choices.randomElement(using: &random) ?? ""
            let mode = Int.random(in: 0..<8, using: &random) == 0 ? "" : ",\"dry_run\":true"
            _ = try admin.send(
                "POST", "/purge", fields: [("Content-Type", "application/json")], body: Data("{\(choice)\(mode)}".utf8))
        }
    }

    /// Opens connections, sends a request on each, and reads nothing. One that a bound refuses may
    /// be closed meanwhile.
    private mutating func hold(_ count: Int, _ request: (Int) -> String) throws {
        for _ in 0..<count {
            fresh += 1
            let client = try RawClient(port: house.port, receiveBuffer: 4_096)
            try? client.send(request(fresh))
            held.append(client)
        }
    }

    /// Asks and reads the answer, whatever it is: so much of what was asked before is done by then.
    private func get(_ target: String, _ fields: String = "") throws {
        let client = try RawClient(port: house.port)
        try client.send("GET \(target) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\(fields)\r\n")
        while !client.readSome().isEmpty {}
    }

    /// Whichever attack.
    mutating func next() -> Attack { Attack.allCases.randomElement(using: &random) ?? .composing }
}
