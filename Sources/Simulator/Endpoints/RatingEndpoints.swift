// Ratings: read, set, removed (APPLE-MUSIC-API 3.2.12). A rating that was never given is 404.

import Text

extension SimulatedExchange {
    private static let rateable: Set<String> = [
        "albums", "songs", "playlists", "music-videos", "stations", "library-albums", "library-songs",
        "library-playlists", "library-music-videos",
    ]

    func ratings(_ elements: [String], _ user: UserLibrary) throws(APIError) -> Reply {
        guard let type = elements.first, elements.count <= 2 else { throw .notFound }
        guard Self.rateable.contains(type) else { throw .unknownType(type) }
        guard elements.count == 2 else {
            try requireRead()
            guard let ids = target.list("ids") else { throw .missingParameter("ids") }
            if ids.isEmpty { throw .noIDs }
            return rated(ids.compactMap { id in user.ratings[type + "/" + id].map { (type + "/" + id, $0) } })
        }
        let path = type + "/" + elements[1]
        switch request.method {
        case "GET", "HEAD":
            guard let value = user.ratings[path] else { throw .notFound }
            return rated([(path, value)])
        case "PUT":
            let value = try ratingValue()
            world.change(user.name) { $0.ratings[path] = value }
            return rated([(path, value)])
        case "DELETE":
            world.change(user.name) { $0.ratings[path] = nil }
            return Reply(status: 204)
        default: throw .methodNotAllowed
        }
    }

    /// `{"type":"rating","attributes":{"value":1|-1}}`.
    private func ratingValue() throws(APIError) -> Int {
        let document = try body()
        guard let value = document["attributes"]?["value"]?.intValue, value == 1 || value == -1 else {
            throw .invalidBody("attributes.value must be 1 or -1")
        }
        return value
    }

    func body() throws(APIError) -> JSON {
        do {
            return try JSON.parse(request.body)
        } catch {
            throw .invalidBody("The body is not valid JSON")
        }
    }

    private func rated(_ ratings: [(path: String, value: Int)]) -> Reply {
        let data = ratings.map { path, value -> JSON in
            let id = String(path.split(separator: "/").last ?? "")
            return [
                "id": .string(id), "type": "ratings", "href": .string("/v1/me/ratings/" + path),
                "attributes": ["value": .integer(value)],
            ]
        }
        return Reply(body: JSON.object(members: ["data": .array(data)]).bytes)
    }
}
