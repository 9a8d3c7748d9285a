// Changes with `revisionShare`, where a revision changes few resources: each resource changes once
// in a period of revisions, at a time and in a way drawn for each period.
//
// Must hold: some changes touch attributes alone, some a list alone, some both, and some take the
// resource away and bring it back.

private struct RareChange {
    /// The revision of the period after which it shows.
    let step: Int
    /// The kind of change, as a number below 20.
    let kind: Int
    private let hasLists: Bool

    init(_ bits: UInt64, period: Int, hasLists: Bool) {
        kind = Int((bits >> 40) % 20)
        let steps = kind >= Self.firstAbsence ? period - Self.absence(in: period) : period
        step = Int((bits >> 8) % UInt64(steps))
        self.hasLists = hasLists
    }

    private static let firstAbsence = 17

    /// For how many revisions a resource is away; it comes back before the period ends.
    static func absence(in period: Int) -> Int { max(1, period / 10) }

    func touches(_ aspect: Aspect) -> Bool {
        switch aspect {
        case .name: kind < (hasLists ? 12 : Self.firstAbsence)
        case .growth: (8..<12).contains(kind)
        case .list: (8..<Self.firstAbsence).contains(kind)
        case .availability: kind >= Self.firstAbsence
        }
    }
}

extension Catalog {
    /// Revisions in which each resource changes once; nil if many change at each.
    var rarePeriod: Int? { traits.revisionShare.map { max(2, 1000 / max(1, $0)) } }

    private func rareChange(_ resource: Resource, turn: Int, of period: Int) -> RareChange {
        RareChange(
            seed.bits(.revision, resource.distinctNumber, turn * 4 + 3), period: period,
            hasLists: resource.type != .songs)
    }

    /// Number of changes of the aspect so far; 0 where many resources change at each revision.
    func rareChanges(_ resource: Resource, _ aspect: Aspect) -> Int {
        guard let period = rarePeriod else { return 0 }
        return (0...revision / period).count { turn in
            let change = rareChange(resource, turn: turn, of: period)
            return change.touches(aspect) && revision > turn * period + change.step
        }
    }

    func isRarelyAway(_ resource: Resource, every period: Int) -> Bool {
        let change = rareChange(resource, turn: revision / period, of: period)
        let past = revision % period - change.step
        return change.touches(.availability) && (1...RareChange.absence(in: period)).contains(past)
    }

    /// The list with one song more, one song fewer, or another first song.
    func slightlyRearranged(_ tracks: [Resource], ofPlaylist playlist: Int, _ count: Int, _ bits: Int) -> [Resource] {
        var list = tracks
        switch count % 3 {
        case 1: list.insert(drawTrack(ofPlaylist: playlist, place: 1000 + count), at: bits % (list.count + 1))
        case 2: list.remove(at: bits % list.count)
        default: list = Array(tracks[(bits % tracks.count)...] + tracks[..<(bits % tracks.count)])
        }
        return list
    }

    /// The second artist at this revision: a changed list gains one, or loses its own.
    ///
    /// The attributes keep the names of the first list.
    func revised(guest: Int?, ofAlbum album: Int) -> Int? {
        let count = rareChanges(Resource(.albums, album), .list)
        guard count % 2 == 1 else { return guest }
        guard guest == nil else { return nil }
        let further = 1 + seed.number(below: artistCount - 1, .revision, album, -count)
        return (artist(ofAlbum: album) + further) % artistCount
    }

    func growth(ofAlbum album: Int) -> Int { rareChanges(Resource(.albums, album), .growth) }
}
