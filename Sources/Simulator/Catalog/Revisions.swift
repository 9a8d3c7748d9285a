// Changes of the catalog from one revision to the next, computed from the seed: any revision can be
// asked for at any time.
//
// Must hold: revision 0 is the seeded catalog; two neighbouring revisions differ in the shares
// named below.

/// A part of a resource that changes independently.
enum Aspect: Int {
    case name, list, availability
    /// A list and the attributes that count it, at once: only with `revisionShare`.
    case growth
}

extension Catalog {
    /// Number of changes of an aspect so far.
    ///
    /// - Parameter period: without `revisionShare` it changes once in `period` revisions, at a
    ///   revision drawn for each period.
    private func changes(_ resource: Resource, _ aspect: Aspect, every period: Int) -> Int {
        guard revision > 0 else { return 0 }
        if rarePeriod != nil { return rareChanges(resource, aspect) }
        let (turn, step) = (revision / period, revision % period)
        return turn + (step > draw(below: period, resource, aspect, turn) ? 1 : 0)
    }

    private func draw(below bound: Int, _ resource: Resource, _ aspect: Aspect, _ turn: Int) -> Int {
        seed.number(below: bound, .revision, resource.distinctNumber, turn * 4 + aspect.rawValue)
    }

    /// Number of renamings: one in eight albums, songs, artists and playlists has another name and
    /// other notes at the next revision.
    func renamings(of resource: Resource) -> Int {
        switch resource.type {
        case .albums, .songs, .artists, .playlists: changes(resource, .name, every: 8)
        default: 0
        }
    }

    /// The name at this revision.
    func revised(_ name: String, of resource: Resource) -> String {
        let count = renamings(of: resource)
        return count == 0 ? name : name + " (Version " + String(count + 1) + ")"
    }

    /// Number of changes of a playlist's tracks: one in five begins elsewhere at the next revision
    /// and has a few new ones.
    private func rearrangements(ofPlaylist playlist: Int) -> Int {
        changes(Resource(.playlists, playlist), .list, every: 5)
    }

    /// Number of changes that a playlist's attributes show.
    func modifications(ofPlaylist playlist: Int) -> Int {
        rarePeriod == nil
            ? rearrangements(ofPlaylist: playlist) : rareChanges(Resource(.playlists, playlist), .growth)
    }

    func rearranged(_ tracks: [Resource], ofPlaylist playlist: Int) -> [Resource] {
        let count = rearrangements(ofPlaylist: playlist)
        guard count > 0, !tracks.isEmpty else { return tracks }
        let bits = Int(seed.bits(.revision, playlist, -count) >> 1)
        if rarePeriod != nil { return slightlyRearranged(tracks, ofPlaylist: playlist, count, bits) }
        let start = 1 + bits % max(1, tracks.count - 1)
        var list = Array(tracks[start...] + tracks[..<start])
        for place in 0...(bits >> 16) % 3 {
            let track = drawTrack(ofPlaylist: playlist, place: 1000 + 3 * count + place)
            list.insert(track, at: (bits >> (24 + 8 * place)) % list.count)
        }
        return list
    }

    /// The artist's albums at this revision. One artist in six has others at the next: one fewer,
    /// all of them again, or the last one first.
    func rearranged(_ albums: [Resource], ofArtist artist: Int) -> [Resource] {
        let count = changes(Resource(.artists, artist), .list, every: 6)
        guard count > 0, let last = albums.last, albums.count > 1 else { return albums }
        switch count % 3 {
        case 1:
            var list = albums
            list.remove(at: seed.number(below: albums.count, .revision, artist, -count))
            return list
        case 2: return [last] + albums.dropLast()
        default: return albums
        }
    }

    /// Whether the availability of an album or a song is reversed at this revision: one in forty
    /// comes or goes from one revision to the next.
    func isAway(_ resource: Resource) -> Bool {
        guard revision > 0 else { return false }
        if let rarePeriod { return isRarelyAway(resource, every: rarePeriod) }
        let (period, length) = (80, 4)
        let begin = 1 + draw(below: period - length, resource, .availability, revision / period)
        return (begin..<(begin + length)).contains(revision % period)
    }
}
