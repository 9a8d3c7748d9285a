/// A value that belongs to one loop, on its way through code that runs elsewhere.
///
/// `@unchecked Sendable` because the value is reached only on the loop, which `value` checks.
public struct Confined<Value>: @unchecked Sendable {
    private let confined: Value
    private let loop: EventLoop

    /// Wraps a value that only `loop` touches.
    public init(_ value: Value, to loop: EventLoop) {
        confined = value
        self.loop = loop
    }

    /// The value; on the loop only.
    public var value: Value {
        loop.assertOnLoop()
        return confined
    }

    /// Hands the value to `body` in a later turn of the loop. From any thread.
    public func execute(_ body: @escaping @Sendable (Value) -> Void) {
        loop.execute { body(value) }
    }

    /// Hands the value to `body`: on its loop at once, from elsewhere in a later turn of the loop.
    public func perform(_ body: @escaping @Sendable (Value) -> Void) {
        if loop.isOnLoop { body(value) } else { execute(body) }
    }
}
