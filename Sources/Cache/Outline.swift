// What somebody worked out about the body of a stored answer, once, to use it again: where things
// stand in it. Opaque here. Must hold: it is about the bytes of one body and about nothing else of
// the answer, so it goes wherever the body goes; it is not written to disk, where it would have to
// be believed.

/// What is known about the body of a stored response.
public protocol Outline: AnyObject, Sendable {
    /// What it takes in memory, in bytes.
    var byteCount: Int { get }
}
