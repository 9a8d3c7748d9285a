import AppleMusic
import HTTP

/// The form in which the log shows the target of a refused request or of a preflight.
///
/// Must hold: it has no query, and of a user's path no more than the route (FRAMING 7.4).
enum ShownTarget {
    /// Bounds the attempts at a malformed target.
    private static let mostSegments = 8

    /// The canonical path where everyone may know it, otherwise the route. A malformed target is
    /// cut before the segment that cannot be read; `-` where nothing is left.
    /// - Parameter user: the user whom the request names; nil where its fields were not read, or
    ///   are not those of the request that counts.
    static func bytes(of target: Span<UInt8>, for user: NamedUser?) -> [UInt8] {
        var parsed = CanonicalTarget()
        if let shown = judged(target, user, &parsed) { return shown.bytes }
        for end in ends(in: target).reversed() {
            guard let shown = judged(target.extracting(..<end), user, &parsed) else { continue }
            return shown.isPath ? shown.bytes + [target[end]] + Array("...".utf8) : shown.bytes
        }
        return [UInt8(ascii: "-")]
    }

    /// Ends of the first segments, and that of the path.
    private static func ends(in target: Span<UInt8>) -> [Int] {
        var ends: [Int] = []
        for index in target.indices.dropFirst() {
            let isQuery = target[index] == UInt8(ascii: "?")
            if isQuery || target[index] == UInt8(ascii: "/") { ends.append(index) }
            if isQuery || ends.count == mostSegments { break }
        }
        return ends
    }

    /// Nil where the target is malformed.
    private static func judged(
        _ target: Span<UInt8>, _ user: NamedUser?, _ parsed: inout CanonicalTarget
    ) -> (bytes: [UInt8], isPath: Bool)? {
        guard (try? parsed.parse(target)) != nil else { return nil }
        let path = parsed.bytes.prefix { $0 != UInt8(ascii: "?") }
        // A path of no known route is a user's where a token comes with it.
        let isPath = parsed.route.isShared || user == .nobody && !parsed.route.isPersonal || path.count == 1
        return (isPath ? Array(path) : Array(parsed.route.template.utf8), isPath)
    }
}
