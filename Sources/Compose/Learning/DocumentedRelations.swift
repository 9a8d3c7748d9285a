import AppleMusic

/// Relationships that the API's documentation and captured answers show without an `include`, in
/// the answer to a request for one resource or for several.
///
/// It says nothing of an origin until answers of that origin agree with it (`FormFamily`), and it
/// is used only where the origin is the API itself, or the operator says that it is like it
/// (`documented_forms`).
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
        /// The fact's number in APPLE-MUSIC-API.
        let fact: StaticString
        var identifiers: [String] = []
        var resources: [String] = []
        var absent: [String] = []
    }

    private static let lines = [
        Line(
            type: .albums, fact: "4.2.1", identifiers: ["artists"], resources: ["tracks"],
            absent: ["genres", "record-labels"]),
        Line(
            type: .artists, fact: "4.2.2", identifiers: ["albums"],
            absent: ["genres", "music-videos", "playlists", "station"]),
        Line(
            type: .songs, fact: "4.2.3", identifiers: ["albums", "artists"],
            absent: ["composers", "genres", "music-videos", "station"]),
        Line(type: .musicVideos, fact: "4.2.4", identifiers: ["albums", "artists"], absent: ["genres", "songs"]),
        Line(type: .playlists, fact: "4.2.5", identifiers: ["curator"], resources: ["tracks"]),
        Line(type: .activities, fact: "4.2.6", identifiers: ["playlists"]),
        Line(type: .curators, fact: "4.2.6", identifiers: ["playlists"]),
        Line(type: .appleCurators, fact: "4.2.6", identifiers: ["playlists"]),
    ]

    /// By type, and by the number of the relationship's name.
    private static let looks: [ResourceClass: [UInt64: Look]] = lines.reduce(into: [:]) { looks, line in
        for name in line.identifiers { looks[line.type, default: [:]][number(name)] = .identifiers }
        for name in line.resources { looks[line.type, default: [:]][number(name)] = .resources }
        for name in line.absent { looks[line.type, default: [:]][number(name)] = .absent }
    }

    /// The names of relationships that show ids, by their numbers.
    private static let identifiers: [ResourceClass: [UInt64: String]] = lines.reduce(into: [:]) { names, line in
        for name in line.identifiers { names[line.type, default: [:]][number(name)] = name }
    }

    /// The types of which a relationship shows whole resources.
    private static let nesting = ResourceClasses { type in
        lines.contains { $0.type == type && !$0.resources.isEmpty }
    }

    private static func number(_ name: String) -> UInt64 { ResourceDocument.nameNumber(Array(name.utf8).span) }

    static func identifiers(of type: ResourceClass) -> [UInt64: String] { identifiers[type] ?? [:] }

    static func nestsResources(_ type: ResourceClass) -> Bool { nesting.contains(type) }

    /// By the number of the relationship's name (`ResourceDocument.nameNumber`).
    static func looks(of type: ResourceClass) -> [UInt64: Look] { looks[type] ?? [:] }
}
