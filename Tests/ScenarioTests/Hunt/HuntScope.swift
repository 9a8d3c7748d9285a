/// The moments that the parts of one answer may be of.
struct HuntScope: Sendable {
    /// The moment of the answer.
    let now: Int
    /// The moment before which no part may be.
    let oldest: Int
    /// The same for absent resources of a batch.
    let oldestAbsence: Int
    /// The last purge of the answers that name a resource.
    var purged: [HuntName: Int] = [:]
    /// The storefront of the answer.
    let storefront: String

    var window: ClosedRange<Int> { min(oldest, now)...now }

    var absenceWindow: ClosedRange<Int> { min(oldestAbsence, now)...now }

    /// The moments for a part that names these resources.
    func window(naming names: [HuntName]) -> ClosedRange<Int> {
        guard !purged.isEmpty, let purge = names.compactMap({ purged[$0] }).max(), purge > oldest else { return window }
        return min(purge, now)...now
    }
}
