/// A type of the catalog that the hunt looks at.
enum HuntType: String, CaseIterable, Sendable {
    case albums, artists, genres, playlists, songs

    /// The number of resources of the type, which have the ids from 1 on.
    var count: Int {
        switch self {
        case .albums: 60
        case .artists: 24
        case .genres: 6
        case .playlists: 4
        case .songs: 180
        }
    }

    var relations: Set<HuntRelation> {
        switch self {
        case .albums: [.artists, .genres, .tracks]
        case .artists: [.albums, .genres]
        case .genres: []
        case .playlists: [.tracks]
        case .songs: [.albums, .artists, .genres]
        }
    }

    var views: Set<HuntRelation> { self == .artists ? [.topSongs, .latestRelease] : [] }

    /// A number for draws, different for each type.
    var number: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// A resource of the catalog.
struct HuntName: Hashable, Sendable, CustomStringConvertible {
    let type: HuntType
    let id: Int

    /// As tests write it and `JSONNode.identity` gives it: `albums/1`.
    var description: String { "\(type.rawValue)/\(id)" }

    init(_ type: HuntType, _ id: Int) { (self.type, self.id) = (type, id) }

    /// Nil for another text.
    init?(_ identity: String) {
        let words = identity.split(separator: "/")
        guard words.count == 2, let type = HuntType(rawValue: String(words[0])), let id = Int(words[1]) else {
            return nil
        }
        self.init(type, id)
    }

    /// A number for draws, different for each name.
    var number: Int { type.number * 10_000 + id }
}

/// A relationship or view of a resource.
enum HuntRelation: String, CaseIterable, Sendable {
    case albums, artists, genres, tracks
    case topSongs = "view/top-songs"
    case latestRelease = "view/latest-release"

    var isView: Bool { rawValue.hasPrefix("view/") }

    /// The name without `view/`.
    var name: String { String(rawValue.split(separator: "/").last ?? "") }

    /// The elements of a page without `limit`, and of a list inside a resource.
    func standardLimit(of parent: HuntType) -> Int {
        switch self {
        case .tracks: parent == .albums ? 300 : 100
        case .albums where parent == .artists: 25
        case .topSongs, .latestRelease: 20
        default: 10
        }
    }

    /// The largest `limit` that is no error.
    func greatestLimit(of parent: HuntType) -> Int {
        switch self {
        case .tracks: 300
        case .albums where parent == .artists: 100
        case .topSongs, .latestRelease: 100
        default: 10
        }
    }
}

/// The list that a relationship or view of a resource has.
struct HuntList: Hashable, Sendable, CustomStringConvertible {
    let parent: HuntName
    let relation: HuntRelation

    init(_ parent: HuntName, _ relation: HuntRelation) { (self.parent, self.relation) = (parent, relation) }

    var description: String { "\(parent)/\(relation.rawValue)" }

    /// A number for draws, different for each list.
    var number: Int { parent.number * 10 + (HuntRelation.allCases.firstIndex(of: relation) ?? 0) }
}

/// A part of answers that has a state of its own.
enum HuntThing: Hashable, Sendable, CustomStringConvertible {
    /// The revision of a resource, or its absence.
    case resource(HuntName)
    /// The elements of a list and their order.
    case list(HuntList)

    var description: String {
        switch self {
        case .resource(let name): name.description
        case .list(let list): list.description
        }
    }
}
