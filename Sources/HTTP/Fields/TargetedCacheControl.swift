/// CDN-Cache-Control (RFC 9213 2.1, 3.1): the directives of Cache-Control for caches like this one,
/// as a dictionary.
///
/// A field that is no dictionary, is empty, or gives a lifetime as anything but an integer counts
/// as absent: then Cache-Control counts. A line of several has to be a dictionary by itself (RFC
/// 9651 4.2 allows that).
public struct TargetedCacheControl: Sendable, Equatable {
    /// In place of Cache-Control, Expires and Pragma; nil where those count.
    public var directives: CacheControl? { isInvalid ? nil : read }
    private var read: CacheControl?
    private var isInvalid = false

    /// Absent.
    public init() {}

    /// Adds the members of one more field line.
    public mutating func merge(_ fieldValue: Span<UInt8>) {
        guard !isInvalid, let members = StructuredDictionary.members(fieldValue), !members.isEmpty else {
            isInvalid = true
            return
        }
        var directives = read ?? CacheControl()
        for member in members where !directives.set(member, fieldValue) { isInvalid = true }
        read = directives
    }
}

extension CacheControl {
    /// Takes one member over; unknown ones are passed over. False where the type of its value makes
    /// no sense.
    fileprivate mutating func set(_ member: StructuredDictionary.Member, _ bytes: Span<UInt8>) -> Bool {
        let key = member.key.range
        if let number = Self.number(bytes, key) {
            guard case .integer(let seconds) = member.value else { return false }
            self[keyPath: number] = min(max(seconds, 0), DeltaSeconds.max)
        } else if let flag = Self.flag(bytes, key) {
            self[keyPath: flag] = member.value != .boolean(false)
        }
        return true
    }

    private static func number(_ bytes: Span<UInt8>, _ key: Range<Int>) -> WritableKeyPath<CacheControl, Int?>? {
        if bytes.equals(key, "max-age") { return \.maxAge }
        if bytes.equals(key, "s-maxage") { return \.sMaxAge }
        if bytes.equals(key, "stale-while-revalidate") { return \.staleWhileRevalidate }
        return bytes.equals(key, "stale-if-error") ? \.staleIfError : nil
    }

    private static func flag(_ bytes: Span<UInt8>, _ key: Range<Int>) -> WritableKeyPath<CacheControl, Bool>? {
        if bytes.equals(key, "no-store") { return \.noStore }
        if bytes.equals(key, "no-cache") { return \.noCache }
        if bytes.equals(key, "private") { return \.isPrivate }
        if bytes.equals(key, "public") { return \.isPublic }
        if bytes.equals(key, "must-revalidate") { return \.mustRevalidate }
        if bytes.equals(key, "proxy-revalidate") { return \.proxyRevalidate }
        if bytes.equals(key, "must-understand") { return \.mustUnderstand }
        if bytes.equals(key, "no-transform") { return \.noTransform }
        return bytes.equals(key, "immutable") ? \.immutable : nil
    }
}
