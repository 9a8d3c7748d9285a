// One user: the library, the ratings and the history. Seeded from the user's name, then changed by
// writes.
// Must hold: every id handed out can be read back, and means nothing to another user.

/// An album in a library, with those of its tracks that the user has.
struct LibraryAlbum: Sendable {
    let album: Int
    var tracks: [Int]
    let addedAt: Int64
}

/// A playlist in a library: the user's own, or a catalog playlist that was added.
struct LibraryPlaylist: Sendable {
    let serial: Int
    var name: String
    var description: String?
    /// Catalog song numbers.
    var tracks: [Int]
    let addedAt: Int64
    let catalogPlaylist: Int?
    var folder: Int
}

extension LibraryPlaylist {
    /// A catalog playlist that was added.
    init(serial: Int, catalogPlaylist number: Int, addedAt: Int64, _ catalog: Catalog) {
        self.init(
            serial: serial, name: catalog.name(ofPlaylist: number, .english), description: nil,
            tracks: catalog.tracks(ofPlaylist: number).map(\.number), addedAt: addedAt, catalogPlaylist: number,
            folder: UserLibrary.rootFolder)
    }
}

struct LibraryFolder: Sendable {
    let serial: Int
    let name: String
    let parent: Int
    let addedAt: Int64
}

struct UserLibrary: Sendable {
    let name: String
    let market: Market
    /// Seed of this user's ids and history.
    let key: Int
    let hasSubscription: Bool
    var albums: [LibraryAlbum] = []
    var musicVideos: [Int] = []
    var playlists: [LibraryPlaylist] = []
    var folders: [LibraryFolder] = []
    /// By path, for example `albums/1400000000`; 1 or -1.
    var ratings: [String: Int] = [:]
    var nextSerial = 1

    /// The serial of the folder all others are in.
    static let rootFolder = 0

    func entry(ofAlbum album: Int) -> LibraryAlbum? { albums.first { $0.album == album } }

    func contains(song: Int) -> Bool {
        entry(ofAlbum: song / Catalog.songSpan)?.tracks.contains(song % Catalog.songSpan - 1) ?? false
    }

    func playlist(_ serial: Int) -> LibraryPlaylist? { playlists.first { $0.serial == serial } }

    func folder(_ serial: Int) -> LibraryFolder? { folders.first { $0.serial == serial } }

    /// Everything of a library type, in the order the lists show it.
    func all(_ type: SimulatedType, _ catalog: Catalog) -> [Resource] {
        switch type {
        case .libraryAlbums: return albums.map { Resource(type, $0.album) }
        case .librarySongs:
            return albums.flatMap { entry in
                entry.tracks.map { Resource(type, entry.album * Catalog.songSpan + $0 + 1) }
            }
        case .libraryArtists:
            var seen: Set<Int> = []
            return albums.compactMap { entry in
                let artist = catalog.artist(ofAlbum: entry.album)
                return seen.insert(artist).inserted ? Resource(type, artist) : nil
            }
        case .libraryMusicVideos: return musicVideos.map { Resource(type, $0) }
        case .libraryPlaylists: return playlists.map { Resource(type, $0.serial) }
        case .libraryPlaylistFolders: return folders.map { Resource(type, $0.serial) }
        default: return []
        }
    }

    func contains(_ resource: Resource, _ catalog: Catalog) -> Bool {
        all(resource.type, catalog).contains(resource)
            || resource == Resource(.libraryPlaylistFolders, Self.rootFolder)
    }

    /// The name that the user gave; nil for items of the catalog.
    func name(of resource: Resource) -> String? {
        switch resource.type {
        case .libraryPlaylists: playlist(resource.number)?.name
        case .libraryPlaylistFolders: folder(resource.number)?.name
        default: nil
        }
    }

    /// In unix seconds; nil where the API does not say it.
    func addedAt(_ resource: Resource) -> Int64? {
        switch resource.type {
        case .libraryAlbums: entry(ofAlbum: resource.number)?.addedAt
        case .libraryPlaylists: playlist(resource.number)?.addedAt
        case .libraryPlaylistFolders: folder(resource.number)?.addedAt
        default: nil
        }
    }
}
