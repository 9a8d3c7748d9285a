/// An object of one loop, carried through code that runs elsewhere and back.
///
/// Weak, so that the object ends on its loop whoever is the last to carry it.
///
/// `@unchecked Sendable` because the object is reached on its loop alone, which debug builds check.
public struct LoopBound<Object: AnyObject>: @unchecked Sendable {
    private weak let reference: Object?
    private let loop: EventLoop

    /// Made on `loop`, which `object` is confined to.
    public init(_ object: Object, on loop: EventLoop) {
        reference = object
        self.loop = loop
    }

    /// The object, if it is still there. On the loop only.
    public var object: Object? {
        assert(loop.isOnLoop, "reached from elsewhere")
        return reference
    }
}
