import AppleMusic

/// What the API's documentation and captured answers say of relationships that no `include` names,
/// in the answer to a request for one resource or for several.
///
/// It says nothing of an origin until answers of that origin agree with it (`FormFamily`), and
/// it is asked at all only where the origin is the API itself, or the operator says that it is like
/// it (`documented_forms`).
enum DocumentedRelations {
    enum Look {
        /// Elements of `id`, `type` and `href`.
        case identifiers
        /// Whole elements, whatever `include` says (APPLE-MUSIC-API 6.4).
        case resources
        /// No such member.
        case absent
    }

    private struct Line {
        let type: ResourceClass
        let relation: StaticString
        let look: Look
        /// The fact's number in APPLE-MUSIC-API.
        let fact: StaticString
    }

    private static let lines = [
        Line(type: .albums, relation: "artists", look: .identifiers, fact: "4.2.1"),
        Line(type: .albums, relation: "tracks", look: .resources, fact: "4.2.1"),
        Line(type: .albums, relation: "genres", look: .absent, fact: "4.2.1"),
        Line(type: .albums, relation: "record-labels", look: .absent, fact: "4.2.1"),
        Line(type: .artists, relation: "albums", look: .identifiers, fact: "4.2.2"),
        Line(type: .artists, relation: "genres", look: .absent, fact: "4.2.2"),
        Line(type: .artists, relation: "music-videos", look: .absent, fact: "4.2.2"),
        Line(type: .artists, relation: "playlists", look: .absent, fact: "4.2.2"),
        Line(type: .artists, relation: "station", look: .absent, fact: "4.2.2"),
        Line(type: .songs, relation: "albums", look: .identifiers, fact: "4.2.3"),
        Line(type: .songs, relation: "artists", look: .identifiers, fact: "4.2.3"),
        Line(type: .songs, relation: "composers", look: .absent, fact: "4.2.3"),
        Line(type: .songs, relation: "genres", look: .absent, fact: "4.2.3"),
        Line(type: .songs, relation: "music-videos", look: .absent, fact: "4.2.3"),
        Line(type: .songs, relation: "station", look: .absent, fact: "4.2.3"),
        Line(type: .musicVideos, relation: "albums", look: .identifiers, fact: "4.2.4"),
        Line(type: .musicVideos, relation: "artists", look: .identifiers, fact: "4.2.4"),
        Line(type: .musicVideos, relation: "genres", look: .absent, fact: "4.2.4"),
        Line(type: .musicVideos, relation: "songs", look: .absent, fact: "4.2.4"),
        Line(type: .playlists, relation: "curator", look: .identifiers, fact: "4.2.5"),
        Line(type: .playlists, relation: "tracks", look: .resources, fact: "4.2.5"),
        Line(type: .activities, relation: "playlists", look: .identifiers, fact: "4.2.6"),
        Line(type: .curators, relation: "playlists", look: .identifiers, fact: "4.2.6"),
        Line(type: .appleCurators, relation: "playlists", look: .identifiers, fact: "4.2.6"),
    ]

    /// By type, and by the number of the relationship's name.
    private static let looks: [ResourceClass: [UInt64: Look]] = lines.reduce(into: [:]) { looks, line in
        let name = ResourceDocument.nameNumber(Array(line.relation.description.utf8).span)
        looks[line.type, default: [:]][name] = line.look
    }

    /// The names of relationships that show ids, by their numbers.
    private static let identifiers: [ResourceClass: [UInt64: String]] = lines.reduce(into: [:]) { names, line in
        guard line.look == .identifiers else { return }
        let name = line.relation.description
        names[line.type, default: [:]][ResourceDocument.nameNumber(Array(name.utf8).span)] = name
    }

    /// The types of which a relationship shows whole resources.
    private static let nesting = ResourceClasses { type in
        lines.contains { $0.type == type && $0.look == .resources }
    }

    static func identifiers(of type: ResourceClass) -> [UInt64: String] { identifiers[type] ?? [:] }

    static func nestsResources(_ type: ResourceClass) -> Bool { nesting.contains(type) }

    /// By the number of the relationship's name (`ResourceDocument.nameNumber`).
    static func looks(of type: ResourceClass) -> [UInt64: Look] { looks[type] ?? [:] }
}
