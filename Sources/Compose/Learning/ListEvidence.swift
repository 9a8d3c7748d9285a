import AppleMusic

// What the origin was seen to do with the lists of one form. Pure.
// Must hold: what holds for a storefront is shown by answers of that storefront, and of gaps by
// answers that still live; what is known of a form (how pages are cut, links, sizes) is known as
// long as its record is; one sight of the opposite takes it back.

/// The evidence of one form.
struct ListEvidence: Sendable {
    /// How pages were cut that `next` follows and that have gaps: others look the same either way.
    private enum Cut: Sendable {
        case unknown, first, filling
        /// Both were seen: nothing is concluded.
        case various

        mutating func note(_ seen: Cut) { self = self == .unknown || self == seen ? seen : .various }
    }

    private var cut = Cut.unknown
    private var gaps: [Storefront: GapEvidence] = [:]
    /// The largest `limit` that the origin answered.
    private(set) var greatestLimit = 0
    /// Pages that were asked for without a limit.
    private var standard = ListSize()
    private(set) var links: [NextPattern.Key: NextPattern] = [:]
    /// Clients choose the languages, of which there is no end.
    private static let maxLinks = 128

    /// By what the answers depend on beside the list: storefront and language.
    private var pastEnds: [UInt64: PastEndEvidence] = [:]
    private static let maxPastEnds = 64

    /// What the origin answers to a request behind a list's end; nil where that is not known.
    func answerPastEnd(_ request: CatalogRequest) -> PastEnd? { pastEnds[request.resourceContext]?.known }

    mutating func note(pastEnd answer: PastEnd, _ request: CatalogRequest) {
        guard let list = request.listIdentity else { return }
        if pastEnds.count >= Self.maxPastEnds { pastEnds.removeAll() }
        pastEnds[request.resourceContext, default: PastEndEvidence()].note(answer, of: list)
    }

    /// The places on a page that is asked for without a limit; nil where that is not known.
    var standardLimit: Int? { standard.span }

    /// What is known of the lists of a storefront, enough to say what the origin would answer.
    func habits(in storefront: Storefront, at now: Int64) -> ListHabits {
        ListHabits(cutsFirst: cut == .first, hasNoGaps: gaps[storefront]?.areExcluded(at: now) ?? false)
    }

    /// Whether lists of the storefront were seen to have gaps: a larger page is of little use then.
    func showsGaps(in storefront: Storefront, at now: Int64) -> Bool {
        gaps[storefront]?.wereSeen(at: now) ?? false
    }

    /// Learns from a page; false where it contradicts what was known of sizes or links.
    /// - Parameters:
    ///   - now: when it came, in unix seconds.
    ///   - until: when its lifetime ends.
    mutating func absorb(
        _ request: CatalogRequest, _ document: MappedDocument, _ count: Int, at now: Int64, until: Int64
    ) -> Bool {
        greatestLimit = max(greatestLimit, request.limit ?? 0)
        let next = document.map.envelope.next
        guard !next.isEmpty else { return true }
        let start = request.offset ?? 0
        guard let offset = document.offset(in: next), offset > start else { return false }
        noteGaps(request, start..<offset, count, at: now, until: until)
        // Where the origin fills pages up, a page may span more than its limit, and never less.
        if let limit = request.limit { guard offset - start >= limit else { return false } }
        if request.limit == nil, !standard.note(count, next: offset - start) { return false }
        return absorb(document.body.span.extracting(Int(next.start) + 1..<Int(next.end) - 1), request)
    }

    private mutating func noteGaps(
        _ request: CatalogRequest, _ places: Range<Int>, _ count: Int, at now: Int64, until: Int64
    ) {
        gaps[request.storefront, default: GapEvidence()].note(
            list: request.listIdentity ?? 0, places, hasGaps: count < places.count, at: now, until: until)
        guard let limit = request.limit, count < places.count else { return }
        if count == limit { cut.note(.filling) }
        if count < limit { cut.note(places.count == limit ? .first : .various) }
    }

    /// How the origin writes `next` for such a request. A limit that it left out of a link is none
    /// of the link's where the request has none either.
    func link(for request: CatalogRequest) -> NextPattern? {
        let key = NextPattern.Key(request)
        return links[key] ?? links.values.lazy.compactMap { $0.adapted(to: key) }.first
    }

    private mutating func absorb(_ link: Span<UInt8>, _ request: CatalogRequest) -> Bool {
        let key = NextPattern.Key(request)
        if let known = links[key] { return known.matches(link, request) }
        guard let pattern = NextPattern(learntFrom: link, request) else { return false }
        if links.count >= Self.maxLinks { links.removeAll() }
        links[key] = pattern
        return true
    }
}

/// Whether the lists of one storefront have places without an item.
private struct GapEvidence: Sendable {
    /// Unix seconds: how long the last sight of a gap counts.
    private var seenUntil: Int64 = 0
    /// Unix seconds: how long the places count that had their items.
    private var excludedUntil: Int64 = 0
    /// Places of different lists that had their items, each counted once as far as it is known.
    private var places = 0
    /// From where to where each list was counted. Pages come in any order: the file's are read the
    /// latest first.
    private var counted: [UInt64: Range<Int>] = [:]

    /// So many places with their items say that there are no gaps: with one gap in a hundred
    /// places, one series of 23,000 is as long.
    static let tellingPlaces = 1_000
    private static let maxLists = 256

    func wereSeen(at now: Int64) -> Bool { now < seenUntil }
    func areExcluded(at now: Int64) -> Bool {
        places >= Self.tellingPlaces && now < excludedUntil && !wereSeen(at: now)
    }

    mutating func note(list: UInt64, _ range: Range<Int>, hasGaps: Bool, at now: Int64, until: Int64) {
        if hasGaps || now >= excludedUntil { (places, counted) = (0, [:]) }
        if hasGaps {
            seenUntil = max(seenUntil, until)
            return
        }
        excludedUntil = max(excludedUntil, until)
        guard places < Self.tellingPlaces, counted[list] != nil || counted.count < Self.maxLists else { return }
        guard let known = counted[list] else {
            places += range.count
            counted[list] = range
            return
        }
        // Of a hole between them nothing is counted, now or later.
        places += range.count - range.clamped(to: known).count
        counted[list] = min(known.lowerBound, range.lowerBound)..<max(known.upperBound, range.upperBound)
    }
}
