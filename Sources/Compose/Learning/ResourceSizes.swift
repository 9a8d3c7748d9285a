import AppleMusic

/// The mean size of a resource of one type in answers of each shape, in bytes. Pure.
///
/// A client waits for all bytes of a larger answer, so more is only asked for while that is
/// little (DECISIONS 9.13).
struct ResourceSizes: Sendable {
    private struct Mean {
        var bytes: Int
        var answers = 1
    }

    private var means: [RequestShape: Mean] = [:]

    /// A larger answer may have this many bytes more than the client's own.
    static let mostFurther = 64 << 10
    /// Later answers count as one in this many.
    private static let latest = 16
    /// More shapes than apps make of one type; beyond, the sizes are learnt anew.
    private static let mostShapes = 64

    /// Learns from an answer.
    /// - Parameter bytes: of one of its resources on average.
    mutating func note(_ shape: RequestShape, _ bytes: Int) {
        if var mean = means[shape] {
            mean.answers = min(mean.answers + 1, Self.latest)
            mean.bytes += (bytes - mean.bytes) / mean.answers
            means[shape] = mean
        } else {
            if means.count >= Self.mostShapes { means.removeAll() }
            means[shape] = Mean(bytes: bytes)
        }
    }

    /// Whether resources in the larger shape are little larger than in their own. The first answer
    /// in a shape shows its size, so one that came in none is allowed.
    /// - Parameter count: the number of resources.
    func allow(_ larger: RequestShape, inPlaceOf own: RequestShape, count: Int) -> Bool {
        guard let larger = means[larger]?.bytes else { return true }
        let own = means[own]?.bytes ?? 0
        return (larger - own) * count <= max(Self.mostFurther, own * count)
    }
}
