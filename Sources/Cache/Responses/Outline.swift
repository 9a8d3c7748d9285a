// The structure of a stored answer's body, worked out once and used again. It is opaque here. Must
// hold: it describes the bytes of one body and nothing else of the answer, so it goes wherever the
// body goes; it is not written to disk, where it could be damaged unnoticed.

/// The structure of a stored response's body.
public protocol Outline: AnyObject, Sendable {
    /// Size in memory, in bytes.
    var byteCount: Int { get }
}
