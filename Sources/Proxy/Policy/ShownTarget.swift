import AppleMusic
import HTTP

/// The form in which the log shows the target of a refused request or of a preflight.
///
/// Must hold: it has no query, and of a user's path no more than the route (FRAMING 7.4).
enum ShownTarget {
    /// Bounds the attempts at a malformed target.
    private static let mostSegments = 8

    /// Bytes of a malformed segment that are shown.
    private static let mostOfSegment = 64

    /// The canonical path where everyone may know it, otherwise the route. A malformed target is
    /// cut after the malformed segment, as it came, or after the mistake in it where the request
    /// may name a user; `-` where nothing is known before it.
    /// - Parameter user: the user whom the request names; nil where its fields were not read, or
    ///   are not those of the request that counts.
    static func bytes(of target: Span<UInt8>, for user: NamedUser?) -> [UInt8] {
        var parsed = CanonicalTarget()
        if let shown = judged(target, user, &parsed) { return shown.bytes }
        let isNobody = user == .nobody
        for end in ends(in: target).reversed() {
            guard let shown = judged(target.extracting(..<end), user, &parsed) else { continue }
            guard shown.isPath else { return shown.bytes }
            let hasMistake = target[end] == UInt8(ascii: "/") && (isNobody || parsed.route.isShared)
            let mistake = hasMistake ? segment(of: target, after: end, isWhole: isNobody) : [target[end]] + dots
            return shown.bytes + mistake
        }
        return isNobody && !target.isEmpty ? segment(of: target, after: 0, isWhole: true) : [UInt8(ascii: "-")]
    }

    private static var dots: [UInt8] { Array("...".utf8) }

    /// The byte at `start` and the segment after it, with dots where more follows.
    /// - Parameter isWhole: whether the bytes after the first odd one, or its escape, belong to it:
    ///   they may be more of a path, a user's too.
    private static func segment(of target: Span<UInt8>, after start: Int, isWhole: Bool) -> [UInt8] {
        let most = min(target.count, start + 1 + mostOfSegment)
        var end = start + 1
        while end < most, !endsSegment(target[end]) {
            let byte = target[end]
            end += 1
            guard !isWhole, !isUsual(byte) else { continue }
            if byte == UInt8(ascii: "%") { end = min(most, end + 2) }
            break
        }
        if end < most, endsSegment(target[end]) { end += 1 }
        return target.extracting(start..<end).copy() + (end < target.count ? dots : [])
    }

    private static func endsSegment(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?")
    }

    /// Whether segments have the byte without an escape (RFC 3986 3.3).
    private static func isUsual(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~!$&'()*+,;=:@".utf8.contains(byte)
        }
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
