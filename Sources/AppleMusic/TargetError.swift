// Why a request target is refused.

/// A target that the proxy answers with 400 instead of guessing what another server would make of
/// it (FRAMING 1.3). Never holds any of the target.
public enum TargetError: Error, Sendable, Equatable, CaseIterable {
    /// The target begins neither with `/` nor with `?`.
    case notOriginForm
    /// `//`, or a `/` at the end.
    case emptySegment
    /// `.` or `..` as a segment, spelt in any way, also with path parameters (`..;x`).
    case dotSegment
    /// `%2F` or `%5C` in the path: some servers would see a segment end there.
    case encodedSeparator
    /// `%00` in the path.
    case encodedNUL
    /// A `%` without two hexadecimal digits behind it.
    case malformedPercent
    /// A control character, a space, `#`, `\` or a byte beyond ASCII.
    case forbiddenByte
    /// More than ``CanonicalTarget/maxBytes``.
    case tooLong

    /// A word or two for logs and for the error's detail.
    public var reason: StaticString {
        switch self {
        case .notOriginForm: "no origin-form"
        case .emptySegment: "empty path segment"
        case .dotSegment: "dot segment"
        case .encodedSeparator: "encoded separator"
        case .encodedNUL: "encoded NUL"
        case .malformedPercent: "malformed percent-encoding"
        case .forbiddenByte: "forbidden byte"
        case .tooLong: "target too long"
        }
    }
}
