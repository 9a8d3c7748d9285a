import AppleMusic

/// How lists are cut in fresh answers of several forms.
struct AdoptedCut: Sendable {
    private(set) var cut: ListCut
    /// The unix second at which the last of these answers ends.
    private(set) var countsUntil: Int64

    fileprivate init(_ record: FormRecord) { (cut, countsUntil) = (record.lists.cut, record.countsUntil) }

    fileprivate mutating func note(_ record: FormRecord) {
        cut.note(record.lists.cut)
        countsUntil = max(countsUntil, record.countsUntil)
    }
}

extension AdoptedCut? {
    /// Takes in a record whose answers showed how lists are cut.
    fileprivate mutating func note(_ record: FormRecord) {
        guard record.lists.cut != .unknown else { return }
        if self == nil { self = AdoptedCut(record) } else { self?.note(record) }
    }
}

extension RequestShape {
    /// Whether both are of one list, whatever is shown of its items.
    fileprivate func isOfSameList(as other: RequestShape) -> Bool { subject == other.subject && type == other.type }
}

extension LearntForms.State {
    /// How the same list is cut in fresh answers of other forms (DECISIONS 10.1): those of the
    /// storefront decide, with other parameters or in another language; without any, those of other
    /// storefronts.
    func cutElsewhere(_ form: Form, at now: Int64) -> AdoptedCut? {
        var (own, others): (AdoptedCut?, AdoptedCut?)
        for (other, entry) in forms where other.shape.isOfSameList(as: form.shape) {
            guard case .known(let known) = entry, known.record.isFresh(at: now) else { continue }
            if other.storefront == form.storefront {
                own.note(known.record)
            } else {
                others.note(known.record)
            }
        }
        return own ?? others
    }
}
