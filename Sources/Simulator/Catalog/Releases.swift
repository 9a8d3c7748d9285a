// Kinds of albums: the number of tracks, and whether one is the clean edition or a reissue of
// another.

/// Relation of an album to the artist's other albums.
enum Edition: Equatable, Sendable {
    case original
    /// The clean twin of the album just before it.
    case clean
    /// Songs of the artist's first album once more: this is how one ISRC comes to name many songs
    /// (APPLE-MUSIC-API 12.7).
    case reissue
}

extension Catalog {
    /// The most tracks of an album, one less than the distance between two album ids.
    static let mostTracks = 320

    /// The album's place among the artist's albums, from 0.
    func ordinal(ofAlbum album: Int) -> Int { album - Int(albumStart[artist(ofAlbum: album)]) }

    func edition(ofAlbum album: Int) -> Edition {
        let ordinal = ordinal(ofAlbum: album)
        if ordinal % 2 == 1, seed.isOne(in: 5, .edition, album) { return .clean }
        if ordinal >= 2, ordinal % 2 == 0, seed.isOne(in: 3, .recording, album) { return .reissue }
        return .original
    }

    /// An album is explicit if and only if the next one of the same artist is its clean edition.
    func isExplicit(album: Int) -> Bool { cleanEdition(ofAlbum: album) != nil }

    /// Every second song of an explicit album is explicit.
    func isExplicit(song: Int) -> Bool { (song % Self.songSpan) % 2 == 1 && isExplicit(album: song / Self.songSpan) }

    func cleanEdition(ofAlbum album: Int) -> Int? {
        let next = album + 1
        guard next < albumCount, albumArtist[next] == albumArtist[album] else { return nil }
        return edition(ofAlbum: next) == .clean ? next : nil
    }

    /// The tracks at this revision; a clean edition has as many as its original.
    func trackCount(ofAlbum album: Int) -> Int {
        let original = edition(ofAlbum: album) == .clean ? album - 1 : album
        return min(firstTrackCount(ofAlbum: original) + growth(ofAlbum: original), Self.mostTracks)
    }

    /// The tracks at revision 0.
    func firstTrackCount(ofAlbum album: Int) -> Int {
        if edition(ofAlbum: album) == .clean { return firstTrackCount(ofAlbum: album - 1) }
        let artist = artist(ofAlbum: album)
        // The fifth album of a prolific artist is a box that does not fit into one page of 300.
        if isProlific(artist), ordinal(ofAlbum: album) == 4 {
            return artist == 7 ? Self.mostTracks : 301 + seed.number(below: 20, .trackCount, album)
        }
        switch seed.number(below: 100, .shape, album) {
        case ..<24: return 1
        case ..<40: return 3 + seed.number(below: 4, .trackCount, album)
        case ..<96: return 8 + seed.number(below: 11, .trackCount, album)
        default: return 20 + seed.number(below: 25, .trackCount, album)
        }
    }

    /// The distance between two album ids; a song's number is its album's number times this, plus
    /// its track number.
    static let songSpan = 400

    func song(album: Int, track: Int) -> Resource { Resource(.songs, album * Self.songSpan + track + 1) }

    /// The place of a song on its album, from 0.
    func track(ofSong song: Int) -> Int { song % Self.songSpan - 1 }

    /// The album that a resource is or belongs to; that of a video is the artist's first.
    func album(of resource: Resource) -> Int {
        switch resource.type {
        case .songs, .librarySongs: resource.number / Self.songSpan
        case .musicVideos, .libraryMusicVideos: Int(albumStart[artist(ofVideo: resource.number)])
        default: resource.number
        }
    }

    /// The artist that a resource is or belongs to.
    func artist(of resource: Resource) -> Int {
        switch resource.type {
        case .artists, .libraryArtists: resource.number
        case .musicVideos, .libraryMusicVideos: artist(ofVideo: resource.number)
        default: artist(ofAlbum: album(of: resource))
        }
    }

    /// The album whose recording a track is: its own, or the artist's first for reissues and the
    /// original for clean ones.
    func recordingAlbum(album: Int, track: Int) -> Int {
        switch edition(ofAlbum: album) {
        case .original: return album
        case .clean: return album - 1
        case .reissue:
            let first = Int(albumStart[artist(ofAlbum: album)])
            return track < firstTrackCount(ofAlbum: first) ? first : album
        }
    }

    func songs(ofRecordingAlbum origin: Int, track: Int) -> [Resource] {
        albums(ofArtist: artist(ofAlbum: origin)).compactMap { album in
            guard track < trackCount(ofAlbum: album), recordingAlbum(album: album, track: track) == origin,
                edition(ofAlbum: album) != .clean
            else { return nil }
            return song(album: album, track: track)
        }
    }
}
