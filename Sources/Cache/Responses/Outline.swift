// What was worked out once about the body of a stored answer, to be used again: where things stand
// in it. It is opaque here. Must hold: it is about the bytes of one body and about nothing else of
// the answer, so it goes wherever the body goes; it is not written to disk, where it would have to
// be believed.

/// What is known about the body of a stored response.
public protocol Outline: AnyObject, Sendable {
    /// What it takes in memory, in bytes.
    var byteCount: Int { get }
}
