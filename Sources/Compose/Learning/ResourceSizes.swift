/// The mean size of a resource of one type in answers of each selection, in bytes. Pure.
///
/// A client waits for all bytes of a larger answer, so a selection is only added while that is
/// little (DECISIONS 9.13).
struct ResourceSizes: Sendable {
    private struct Mean {
        var bytes: Int
        var answers = 1
    }

    private var means: [Selection: Mean] = [:]

    /// A larger answer may have this many bytes more than the client's own.
    static let mostFurther = 64 << 10
    /// Later answers count as one in this many.
    private static let latest = 16
    /// More selections than apps make of one type; beyond, the sizes are learnt anew.
    private static let mostSelections = 64

    /// Learns from an answer.
    /// - Parameter bytes: of one of its resources on average.
    mutating func note(_ selection: Selection, _ bytes: Int) {
        if var mean = means[selection] {
            mean.answers = min(mean.answers + 1, Self.latest)
            mean.bytes += (bytes - mean.bytes) / mean.answers
            means[selection] = mean
        } else {
            if means.count >= Self.mostSelections { means.removeAll() }
            means[selection] = Mean(bytes: bytes)
        }
    }

    /// Whether resources with the larger selection are little larger than with their own. The first
    /// answer with a selection shows its size, so one that came in none is allowed.
    /// - Parameter count: the number of resources.
    func allow(_ larger: Selection, inPlaceOf own: Selection, count: Int) -> Bool {
        guard let larger = means[larger]?.bytes else { return true }
        let own = means[own]?.bytes ?? 0
        return (larger - own) * count <= max(Self.mostFurther, own * count)
    }
}
