import AppleMusic

/// Relationships that the API's documentation and captured answers show without an `include`, in
/// the answer to a request for one resource or for several.
///
/// They choose what is asked for, and how its names are spelt. No answer is composed by them
/// (DECISIONS 9.12).
enum DocumentedRelations {
    private struct Line {
        let type: ResourceClass
        /// The fact's number in APPLE-MUSIC-API.
        let fact: StaticString
        /// Names whose elements have `id`, `type` and `href`.
        var identifiers: [String] = []
        /// Whether one has whole elements, whatever `include` says (APPLE-MUSIC-API 6.4).
        var nestsResources = false
    }

    private static let lines = [
        Line(type: .albums, fact: "4.2.1", identifiers: ["artists"], nestsResources: true),
        Line(type: .artists, fact: "4.2.2", identifiers: ["albums"]),
        Line(type: .songs, fact: "4.2.3", identifiers: ["albums", "artists"]),
        Line(type: .musicVideos, fact: "4.2.4", identifiers: ["albums", "artists"]),
        Line(type: .playlists, fact: "4.2.5", identifiers: ["curator"], nestsResources: true),
        Line(type: .activities, fact: "4.2.6", identifiers: ["playlists"]),
        Line(type: .curators, fact: "4.2.6", identifiers: ["playlists"]),
        Line(type: .appleCurators, fact: "4.2.6", identifiers: ["playlists"]),
    ]

    /// The names of relationships that show ids, by their numbers.
    private static let identifiers: [ResourceClass: [UInt64: String]] = lines.reduce(into: [:]) { names, line in
        for name in line.identifiers { names[line.type, default: [:]][number(name)] = name }
    }

    private static let nesting = ResourceClasses { type in lines.contains { $0.type == type && $0.nestsResources } }

    private static func number(_ name: String) -> UInt64 { ResourceDocument.nameNumber(Array(name.utf8).span) }

    static func identifiers(of type: ResourceClass) -> [UInt64: String] { identifiers[type] ?? [:] }

    static func nestsResources(_ type: ResourceClass) -> Bool { nesting.contains(type) }
}
