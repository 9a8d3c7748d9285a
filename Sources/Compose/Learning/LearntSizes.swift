import AppleMusic
import Synchronization

/// The sizes of resources in the origin's answers, by type and shape: how many of them an answer
/// can have that is to be kept. Shared by all loops; its lock is taken for each answer that is
/// learnt from, and where more than one resource is asked for.
///
/// Each type keeps the sizes of 64 shapes (`ResourceSizes`).
package final class LearntSizes: Sendable {
    private let types: Mutex<[ResourceSizes]>

    /// The most bytes of an answer that is collected, and so can be kept (FRAMING 2.3).
    static let mostCollected = 8 << 20

    /// - Parameter most: bytes of an answer that is kept. Half of it is planned for: sizes differ.
    init(mostKept most: Int) {
        let sizes = ResourceSizes(room: max(min(most, Self.mostCollected) / 2, 1))
        let last = ResourceClass.allCases.reduce(0) { max($0, Int($1.rawValue)) }
        types = Mutex(Array(repeating: sizes, count: last + 1))
    }

    /// Learns from an answer of the origin. Clients that make up decorations do not displace what
    /// others show.
    func note(answer request: CatalogRequest, _ document: MappedDocument) {
        guard request.shape.subject != .results, request.shape.decoration.isEmpty || request.shape.relates,
            request.shape.byteCount <= LearntForms.mostChosenBytes
        else { return }
        let count = document.primary.count
        guard count > 0 else { return }
        let bytes = document.body.count / count
        types.withLock { $0[request.shape.type].note(request.shape, bytes) }
    }

    /// Learns from an answer that was too large to be collected.
    /// - Parameter count: the resources that were asked for.
    package func note(tooLarge shape: RequestShape, count: Int) {
        guard shape.byteCount <= LearntForms.mostChosenBytes else { return }
        types.withLock { $0[shape.type].note(tooLarge: shape, count: count) }
    }

    /// How many resources in this shape an answer can have, at most `limit`.
    package func most(_ shape: RequestShape, upTo limit: Int) -> Int {
        types.withLock { min($0[shape.type].most(shape) ?? limit, limit) }
    }

    /// Whether resources may be asked for in a larger shape, see `ResourceSizes.allow`.
    func allow(_ larger: RequestShape, inPlaceOf own: RequestShape, count: Int) -> Bool {
        types.withLock { $0[own.type].allow(larger, inPlaceOf: own, count: count) }
    }
}

extension RequestShape {
    /// Bytes of what clients choose.
    var byteCount: Int {
        include.reduce(decoration.count) { $0 + $1.count } + views.reduce(0) { $0 + $1.count }
    }
}

extension [ResourceSizes] {
    fileprivate subscript(type: ResourceClass) -> ResourceSizes {
        get { self[Int(type.rawValue)] }
        _modify { yield &self[Int(type.rawValue)] }
    }
}
