import AppleMusic
import HTTP

/// The target that `Location` or `Content-Location` of an answer leads to, if it is this origin's
/// (RFC 9110 10.2.2).
enum RelatedTarget {
    /// - Parameters:
    ///   - reference: the field's value, a URI reference.
    ///   - base: the canonical target that was asked for.
    ///   - authority: the origin's own, as `Host` names it.
    /// - Returns: the canonical target; nil for another origin's, and for other kinds of URI.
    static func resolve(_ reference: ArraySlice<UInt8>, against base: [UInt8], authority: [UInt8]) -> [UInt8]? {
        let text = reference.prefix { $0 != UInt8(ascii: "#") }
        guard let target = absoluteForm(text, authority) ?? relativeForm(text, base), !target.isEmpty
        else { return nil }
        var canonical = CanonicalTarget()
        do throws(TargetError) {
            try canonical.parse(target.span)
        } catch {
            return nil
        }
        return canonical.bytes
    }

    /// `http://authority/path`, or `//authority/path`; an empty result stands for another origin.
    private static func absoluteForm(_ text: ArraySlice<UInt8>, _ authority: [UInt8]) -> [UInt8]? {
        let bytes = text.span
        for scheme in ["https://", "http://", "//"] as [StaticString] {
            let start = scheme.utf8CodeUnitCount
            guard bytes.count >= start, bytes.equalsIgnoringCase(0..<start, scheme) else { continue }
            let rest = text.dropFirst(start)
            let host = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
            guard bytes.equalsIgnoringCase(start..<(start + host.count), authority.span, 0..<authority.count) else {
                return []
            }
            let target = Array(rest.dropFirst(host.count))
            return target.first == UInt8(ascii: "/") ? target : [UInt8(ascii: "/")] + target
        }
        return nil
    }

    /// A path, or what replaces the last segment of the base's.
    private static func relativeForm(_ text: ArraySlice<UInt8>, _ base: [UInt8]) -> [UInt8]? {
        let path = base.prefix { $0 != UInt8(ascii: "?") }
        switch text.first {
        case nil: return base
        case UInt8(ascii: "/"): return Array(text)
        case UInt8(ascii: "?"): return Array(path + text)
        default:
            // A scheme that is not HTTP's leads elsewhere.
            guard !text.prefix(while: { $0 != UInt8(ascii: "/") }).contains(UInt8(ascii: ":")) else { return nil }
            let directory = path[...(path.lastIndex(of: UInt8(ascii: "/")) ?? path.startIndex)]
            return Array(directory + text)
        }
    }
}
