import AppleMusic
import HTTP

/// The form in which the log shows the target of a refused request or of a preflight.
///
/// Must hold: it has no query, and of a user's path no more than the route (FRAMING 7.4).
enum ShownTarget {
    /// Bounds the attempts at a malformed target.
    private static let mostSegments = 8

    /// The part of a malformed segment that is shown.
    private static let mostOfSegment = 64

    /// The canonical path where everyone may know it, otherwise the route. A malformed target is
    /// cut after the segment that cannot be read, as it came, where all before it is shown.
    /// - Parameter user: the user whom the request names; nil where its fields were not read, or
    ///   are not those of the request that counts.
    static func bytes(of target: Span<UInt8>, for user: NamedUser?) -> [UInt8] {
        var parsed = CanonicalTarget()
        if let shown = judged(target, user, &parsed) { return shown.bytes }
        for end in ends(in: target).reversed() {
            guard let shown = judged(target.extracting(..<end), user, &parsed) else { continue }
            guard shown.isPath else { return shown.bytes }
            let isInPath = target[end] == UInt8(ascii: "/")
            return shown.bytes + (isInPath ? segment(of: target, after: end) : [target[end]] + dots)
        }
        return target.isEmpty ? [UInt8(ascii: "-")] : segment(of: target, after: 0)
    }

    private static var dots: [UInt8] { Array("...".utf8) }

    /// The byte at `start` and the segment after it, with dots where more follows.
    private static func segment(of target: Span<UInt8>, after start: Int) -> [UInt8] {
        var end = start + 1
        while end < target.count, target[end] != UInt8(ascii: "/"), target[end] != UInt8(ascii: "?") { end += 1 }
        let isWhole = end == target.count && end - start <= mostOfSegment
        if end < target.count, end - start <= mostOfSegment { end += 1 }
        return target.extracting(start..<min(end, start + mostOfSegment + 1)).copy() + (isWhole ? [] : dots)
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
