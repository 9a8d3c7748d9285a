import AppleMusic

// The origin's observed answers of one form. Pure.
// Must hold: nothing is known but by an answer that showed it; a contradiction makes the record
// rest until everything that was stored in the old manner has run out, and then it is learnt anew.

/// The record of one form of request.
struct FormRecord: Sendable {
    /// By type: one type for items and batches, perhaps several for lists.
    private(set) var objects = ElementShapes()
    /// The names of the members around `data` and `next`, as in `ResourceDocument.Envelope`.
    private(set) var envelope: UInt64
    /// Unix seconds of the last answer that showed it.
    private(set) var lastSeen: Int64
    /// How long from then on it counts: the lifetime of that answer, in seconds.
    private(set) var freshFor: Int
    /// Whether a batch of several came in the order of its ids.
    private(set) var keepsOrder = false
    var lists = ListEvidence()
    /// The most resources of a type in a batch that was answered with a list.
    private var mostAsked: [ResourceClass: Int] = [:]

    /// Learns from the first answer; nil where nothing can be learnt of it.
    init?(_ request: CatalogRequest, _ document: MappedDocument, at now: Int64, freshFor: Int) {
        envelope = document.map.envelope.otherMembers
        lastSeen = now
        self.freshFor = freshFor
        guard absorb(request, document, at: now, freshFor: freshFor) else { return nil }
    }

    /// Concludes the record of a form from records of its kind.
    init(
        _ shape: ObjectShape, of type: ResourceClass, from records: [FormRecord], keepsOrder: Bool, until: Int64
    ) {
        objects = ElementShapes(type, shape)
        (envelope, lastSeen, freshFor) = (0, until, 0)
        self.keepsOrder = keepsOrder
        mostAsked = records.reduce(into: [:]) { most, record in most.merge(record.mostAsked, uniquingKeysWith: max) }
    }

    /// A copy that counts as long as a fresh record of other circumstances that looks like it.
    func renewed(by other: FormRecord, at now: Int64) -> FormRecord? {
        guard other.isFresh(at: now), other.envelope == envelope, objects.confirmed(by: other.objects) != nil else {
            return nil
        }
        var record = self
        (record.lastSeen, record.freshFor) = (other.lastSeen, other.freshFor)
        return record
    }

    /// Takes over how its lists are cut, as long as the other forms' answers and its own count.
    mutating func adopt(_ other: AdoptedCut) {
        lists.adopt(other.cut)
        freshFor = Int(min(countsUntil, other.countsUntil) - lastSeen)
    }

    /// Learns from another answer; false where it contradicts an earlier one.
    mutating func absorb(
        _ request: CatalogRequest, _ document: MappedDocument, at now: Int64, freshFor: Int
    ) -> Bool {
        guard envelope == document.map.envelope.otherMembers, !document.map.envelope.data.isEmpty else { return false }
        var count = 0
        for object in document.primary {
            count += 1
            guard objects.absorb(object, in: document, depth: 0) else { return false }
        }
        // The latest record of the file comes first.
        if now + Int64(freshFor) >= lastSeen + Int64(self.freshFor) {
            lastSeen = now
            self.freshFor = freshFor
        }
        return switch request.shape.subject {
        case .item: count == 1 && document.map.envelope.next.isEmpty
        case .batch: document.map.envelope.next.isEmpty && absorbOrder(request, document)
        case .list: lists.absorb(request, document, count)
        case .results: false
        }
    }

    /// Whether the answer shows what others have shown, and nothing else: then there is nothing to
    /// learn. Said of single resources alone, and not of the first one in a second, from which on
    /// the record counts for longer.
    func isBorneOut(
        by document: MappedDocument, _ request: CatalogRequest, at now: Int64, freshFor: Int
    ) -> Bool {
        var primary = document.primary
        guard request.shape.subject == .item, now + Int64(freshFor) <= countsUntil, isFresh(at: now),
            envelope == document.map.envelope.otherMembers, document.map.envelope.next.isEmpty,
            let resource = primary.next(), primary.next() == nil
        else { return false }
        return objects.describes(resource, in: document)
    }

    /// Unix seconds until which the record is valid.
    var countsUntil: Int64 { lastSeen + Int64(freshFor) }

    /// Whether something is known of it still.
    func isFresh(at now: Int64) -> Bool { now < lastSeen + Int64(freshFor) }

    /// Itself, if something is known of it still.
    func fresh(at now: Int64) -> FormRecord? { isFresh(at: now) ? self : nil }

    /// Whether it may still show how its circumstances look, beside a fresh record of others.
    func isRemembered(at now: Int64) -> Bool { now < countsUntil + 7 * 86_400 }

    /// Whether the origin takes that many at once: as it was seen to, or as it is documented to
    /// (APPLE-MUSIC-API 4.1). More is an error, and the origin's to report.
    func takes(_ request: CatalogRequest) -> Bool {
        let type = request.shape.type
        guard !type.isResourceType else { return takes(request.resources.count, of: type) }
        return Self.counts(of: request.resources).allSatisfy { takes($1, of: $0) }
    }

    private func takes(_ count: Int, of type: ResourceClass) -> Bool {
        count <= CatalogRequest.mostIDs(type) || count <= mostAsked[type] ?? 0
    }

    /// A batch lists the found resources in the order of the ids, without the missing ones
    /// (APPLE-MUSIC-API 8.18).
    private mutating func absorbOrder(_ request: CatalogRequest, _ document: MappedDocument) -> Bool {
        for (type, count) in Self.counts(of: Set(request.resources)) {
            mostAsked[type] = max(mostAsked[type] ?? 0, count)
        }
        let found = document.primary.map(\.number)
        let distinct = Set(found)
        let asked = request.resources.map(\.number).filter(distinct.contains)
        // The treatment of an id that is asked for twice is not learnt, nor that of one that is
        // another name of a resource.
        guard request.resources.areDistinct, asked.count == distinct.count else { return true }
        if distinct.count > 1 { keepsOrder = true }
        return asked == found
    }

    /// How many there are of each type.
    private static func counts(of names: some Sequence<ResourceName>) -> [ResourceClass: Int] {
        names.reduce(into: [:]) { $0[$1.type, default: 0] += 1 }
    }
}

extension [ResourceName] {
    /// Whether none is there twice. A set of few costs more than to compare them.
    var areDistinct: Bool {
        guard count <= 8 else { return Set(self).count == count }
        return indices.allSatisfy { !self[..<$0].contains(self[$0]) }
    }
}
