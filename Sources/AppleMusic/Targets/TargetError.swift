// Why a request target is refused.

/// A target that the proxy answers with 400 instead of guessing how another server would read it
/// (FRAMING 1.3). Never holds any of the target.
public enum TargetError: String, Error, Sendable, CaseIterable {
    /// The target begins neither with `/` nor with `?`.
    case notOriginForm = "no origin-form"
    /// `.` or `..` as a segment, spelt in any way, also with path parameters (`..;x`).
    case dotSegment = "dot segment"
    /// `%2F` or `%5C` in the path: some servers would see a segment end there.
    case encodedSeparator = "encoded separator"
    /// `%00` in the path.
    case encodedNUL = "encoded NUL"
    /// A `%` without two hexadecimal digits after it.
    case malformedPercent = "malformed percent-encoding"
    /// A control character, a space, `#`, `\` or a byte beyond ASCII.
    case forbiddenByte = "forbidden byte"
    /// The target is longer than ``CanonicalTarget/maxBytes``.
    case tooLong = "target too long"

    /// A word or two for logs and for the error's detail.
    public var reason: String { rawValue }
}
