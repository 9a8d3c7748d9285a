import Testing
import Text

@testable import Simulator

/// A simulated API with a token on every request, and answers as JSON values.
struct SimulatedOrigin {
    let api: SimulatedAPI

    init(_ change: (inout SimulatorConfiguration) -> Void = { _ in }) {
        var configuration = SimulatorConfiguration()
        configuration.artists = 1000
        change(&configuration)
        api = SimulatedAPI(configuration: configuration)
    }

    var catalog: Catalog { api.world.catalog }

    static let us = Market(code: "us") ?? Market.all[0]

    func respond(
        _ target: String, method: String = "GET", user: String? = nil, body: String = "", now: Int64 = 1_800_000_000,
        fields: [SimulatorField] = []
    ) -> SimulatorResponse {
        var all = [SimulatorField("Authorization", "Bearer aaa.bbb.ccc")] + fields
        if let user { all.append(SimulatorField("Music-User-Token", user)) }
        return api.respond(
            to: SimulatorRequest(
                method: method, target: Array(target.utf8), fields: all, body: Array(body.utf8), nowUnixSeconds: now))
    }

    /// The body of a 200 as JSON.
    func get(_ target: String, user: String? = nil, sourceLocation: SourceLocation = #_sourceLocation) throws -> JSON {
        let response = respond(target, user: user)
        #expect(
            response.status == 200, "\(target): \(String(decoding: response.body, as: UTF8.self))",
            sourceLocation: sourceLocation)
        return try JSON.parse(response.body)
    }

    /// The first resource of such a body.
    func first(_ target: String, user: String? = nil, place: SourceLocation = #_sourceLocation) throws -> JSON {
        try #require(try get(target, user: user, sourceLocation: place)["data"]?[0], sourceLocation: place)
    }

    /// Expects a failure with this status whose first error has these members; returns the error.
    @discardableResult
    func expectError(
        _ target: String, method: String = "GET", user: String? = nil, _ status: Int,
        _ members: KeyValuePairs<String, JSON> = [:], place: SourceLocation = #_sourceLocation
    ) throws -> JSON {
        let response = respond(target, method: method, user: user)
        let error = try #require(try JSON.parse(response.body)["errors"]?[0], sourceLocation: place)
        #expect(response.status == status, "\(target)", sourceLocation: place)
        for (name, value) in members { #expect(error[name] == value, "\(target)", sourceLocation: place) }
        return error
    }

    func id(_ type: SimulatedType, _ number: Int) -> String { catalog.id(of: Resource(type, number)) }

    func isAvailable(_ resource: Resource, _ market: Market = us) -> Bool { catalog.isAvailable(resource, in: market) }

    /// The numbers of the first albums that fit and are available in the US.
    func albums(_ count: Int, where fits: (Int) -> Bool = { _ in true }) -> [Int] {
        var found: [Int] = []
        for album in 0..<catalog.albumCount where isAvailable(Resource(.albums, album)) && fits(album) {
            found.append(album)
            if found.count == count { break }
        }
        return found
    }

    func albumIDs(_ count: Int) -> [String] { albums(count).map { id(.albums, $0) } }

    /// An artist with more than a hundred albums.
    var prolific: Int { 7 }

    /// An album of 320 tracks.
    var box: Int { Int(catalog.albumStart[7]) + 4 }
}

extension JSON {
    var count: Int { arrayValue?.count ?? 0 }
    var ids: [String] { (arrayValue ?? []).compactMap { $0["id"]?.stringValue } }
    var keys: [String] { objectValue?.keys ?? [] }

    /// The resources that a relationship names.
    subscript(related name: String) -> JSON? { self["relationships"]?[name]?["data"] }

    /// Every value of a member called this, at any depth.
    func all(_ key: String) -> [JSON] {
        switch self {
        case .object(let object):
            object.members.flatMap { ($0.key == key ? [$0.value] : []) + $0.value.all(key) }
        case .array(let elements): elements.flatMap { $0.all(key) }
        default: []
        }
    }
}
