import AppleMusic

// The origin's observed treatment of the lists of one form. Pure.
// Must hold: how pages are cut, links and limits are known as long as the form's record is, and one
// counterexample takes them back; only in a conclusion is a cut another form's (DECISIONS 10.1).
// How many gaps lists have only says whether larger pages are worth asking for; no answer is built
// on it.

/// The evidence of one form.
struct ListEvidence: Sendable {
    /// How pages with gaps were cut that `next` follows.
    private(set) var cut = ListCut.unknown
    private var gaps: [Storefront: GapRate] = [:]
    /// How many places lists have after each hundredth one.
    private(set) var lengths = ListLengths()
    /// The largest `limit` that the origin answered.
    private(set) var greatestLimit = 0
    /// Pages that were asked for without a limit.
    private var standard = ListSize()
    private(set) var links: [NextPattern.Key: NextPattern] = [:]
    /// Clients choose the languages, of which there is no end.
    private static let maxLinks = 128

    /// The limit of a page that is asked for without one, as pages show it; nil where none did.
    var standardLimit: Int? { standard.limit }

    /// The standard limit, as it is documented where no page showed it.
    func standardLimit(of request: CatalogRequest) -> Int? {
        if let standardLimit { return standardLimit }
        guard case .list(let name, let isView) = request.shape.subject else { return nil }
        return CatalogRequest.limits(ofList: name, isView: isView, of: request.shape.type)?.standard
    }

    /// Whether a page of that size is likely to have an item on each place, so that it can be cut.
    func favoursPage(of size: Int, in storefront: Storefront) -> Bool { gaps[storefront]?.favours(size) ?? true }

    /// Learns from a page; false where it contradicts known sizes or links.
    mutating func absorb(_ request: CatalogRequest, _ document: MappedDocument, _ count: Int) -> Bool {
        greatestLimit = max(greatestLimit, request.limit ?? 0)
        let next = document.map.envelope.next
        let start = request.offset ?? 0
        guard !next.isEmpty else {
            // An empty page may lie beyond the end.
            if count > 0 || start == 0 { lengths.note(end: start + count, from: start) }
            return true
        }
        guard let offset = document.offset(in: next), offset > start else { return false }
        let places = offset - start
        lengths.note(next: offset, from: start)
        gaps[request.storefront, default: GapRate()].note(places: places, gaps: max(places - count, 0))
        guard noteCut(request, places, count) else { return false }
        return absorb(document.body.span.extracting(next.unquoted), request)
    }

    /// False for a page that is cut in no known way.
    private mutating func noteCut(_ request: CatalogRequest, _ places: Int, _ count: Int) -> Bool {
        guard let limit = request.limit else {
            guard standard.note(count, next: places) else { return false }
            if standard.cut != .unknown { cut.note(standard.cut) }
            return true
        }
        // Where the origin fills pages up, a page may span more than its limit, and never less.
        guard places >= limit else { return false }
        guard count < places else { return true }
        if count == limit { cut.note(.filling) }
        if count < limit { cut.note(places == limit ? .first : .various) }
        return true
    }

    /// Takes over how other forms' pages were cut; no page has shown it here.
    mutating func adopt(_ seen: ListCut) { cut = seen }

    /// How the origin writes `next` for such a request. A limit that it left out of a link is none
    /// of the link's where the request has none either.
    func link(for request: CatalogRequest) -> NextPattern? {
        let key = NextPattern.Key(request)
        return links[key] ?? links.values.lazy.compactMap { $0.adapted(to: key) }.first
    }

    /// Learns a link. One with another id of the owner than the request's teaches nothing.
    private mutating func absorb(_ link: Span<UInt8>, _ request: CatalogRequest) -> Bool {
        let key = NextPattern.Key(request)
        if let known = links[key] { return known.matches(link, request) }
        guard let pattern = NextPattern(learntFrom: link, request) else { return request.isRenamed(by: link) }
        if links.count >= Self.maxLinks { links.removeAll() }
        links[key] = pattern
        return true
    }
}

/// How many places of one storefront's lists are without an item.
private struct GapRate: Sendable {
    private var (places, gaps) = (0, 0)
    /// At this number both counts are halved.
    private static let mostPlaces = 2_000

    mutating func note(places: Int, gaps: Int) {
        self.places += places
        self.gaps += gaps
        if self.places >= Self.mostPlaces { (self.places, self.gaps) = (self.places / 2, self.gaps / 2) }
    }

    /// Whether a page of that size has one gap or none on average.
    func favours(_ size: Int) -> Bool { gaps == 0 || gaps <= places / size }
}
