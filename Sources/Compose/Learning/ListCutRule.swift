import AppleMusic

/// Whether an origin fills up lists whose own pages have not shown how they are cut. Pure.
///
/// Must hold: lists of two kinds at least were seen to fill up, and those of no kind to be cut
/// otherwise; a sight counts as long as the record of its form. That lists are cut first is not
/// carried over, since more is built on it.
struct ListCutRule: Sendable {
    /// Lists with other parameters are of the same kind.
    private struct Kind: Hashable {
        let subject: CatalogRequest.Subject
        let type: ResourceClass
    }

    private var sights: [Kind: (cut: ListCut, until: Int64)] = [:]
    private static let fewestKinds = 2
    /// More than the API has.
    private static let maxKinds = 128

    /// Pages of a form have shown how they are cut, which counts until then, in unix seconds.
    mutating func note(_ cut: ListCut, of shape: RequestShape, at now: Int64, until: Int64) {
        let kind = Kind(subject: shape.subject, type: shape.type)
        guard cut != .unknown, sights[kind] != nil || sights.count < Self.maxKinds else { return }
        var sight = sights[kind] ?? (.unknown, 0)
        if now >= sight.until { sight.cut = .unknown }
        sight.cut.note(cut)
        sights[kind] = (sight.cut, max(sight.until, until))
    }

    /// How other lists are cut.
    func conclusion(at now: Int64) -> ListCut {
        let seen = sights.values.filter { now < $0.until }
        return seen.count >= Self.fewestKinds && seen.allSatisfy { $0.cut == .filling } ? .filling : .unknown
    }
}
