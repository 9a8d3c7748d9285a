import AppleMusic

/// The mean size of a resource of one type in answers of each shape, in bytes. Pure.
///
/// A client waits for all bytes of a larger answer, so more is only asked for while that is
/// little (DECISIONS 9.13). An answer beyond the room is not kept, so nothing is asked for that
/// would be larger.
struct ResourceSizes: Sendable {
    private struct Mean {
        var bytes: Int
        var answers = 1
    }

    /// Items and batches of one shape count together: the origin shows a resource alike in both,
    /// and single answers tell how many fit into a list.
    private var means: [RequestShape: Mean] = [:]
    /// Bytes that an answer may be expected to have.
    private let room: Int

    /// A larger answer may have this many bytes more than the client's own.
    static let mostFurther = 64 << 10
    /// Later answers count as one in this many.
    private static let latest = 16
    /// Bound of the shapes, above what apps make of a type; beyond, the sizes are learnt anew.
    private static let mostShapes = 64

    init(room: Int) { self.room = room }

    /// Learns from an answer.
    /// - Parameter bytes: of one of its resources on average.
    mutating func note(_ shape: RequestShape, _ bytes: Int) {
        let key = shape.ofResources
        if let index = means.index(forKey: key) {
            var mean = means.values[index]
            mean.answers = min(mean.answers + 1, Self.latest)
            mean.bytes += (bytes - mean.bytes) / mean.answers
            means.values[index] = mean
        } else {
            if means.count >= Self.mostShapes { means.removeAll() }
            means[key] = Mean(bytes: bytes)
        }
    }

    /// Learns that an answer of so many resources was too large: half as many are the most then,
    /// until answers show that they are smaller.
    mutating func note(tooLarge shape: RequestShape, count: Int) {
        let least = 2 * room / max(count, 1)
        guard means[shape.ofResources].map({ $0.bytes < least }) ?? true else { return }
        means[shape.ofResources] = nil
        note(shape, least)
    }

    /// How many resources in this shape an answer can have, at least one; nil where no answer
    /// showed their size.
    func most(_ shape: RequestShape) -> Int? {
        means[shape.ofResources].map { max(room / max($0.bytes, 1), 1) }
    }

    /// Whether resources in the larger shape are little larger than in their own, and fit into an
    /// answer. The first answer in a shape shows its size, so one that came in none is allowed.
    /// - Parameter count: the number of resources.
    func allow(_ larger: RequestShape, inPlaceOf own: RequestShape, count: Int) -> Bool {
        guard let larger = means[larger.ofResources]?.bytes else { return true }
        let own = means[own.ofResources]?.bytes ?? 0
        return (larger - own) * count <= max(Self.mostFurther, own * count) && larger * count <= max(room, larger)
    }
}

extension RequestShape {
    /// The shape of a single resource for one of several.
    fileprivate var ofResources: RequestShape {
        guard case .batch = subject else { return self }
        return asked(as: .item)
    }
}
