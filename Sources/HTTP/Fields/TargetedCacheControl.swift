/// CDN-Cache-Control (RFC 9213 2.1, 3.1): the directives of Cache-Control for caches like this one,
/// as a dictionary (RFC 9651 3.2).
///
/// A field that is no dictionary, is empty, or gives a lifetime as anything but an integer counts
/// as absent: then Cache-Control counts. A line of several has to be a dictionary by itself (RFC
/// 9651 4.2 allows that). Parameters and the values of unknown members are passed over unread.
public struct TargetedCacheControl: Sendable, Equatable {
    /// In place of Cache-Control, Expires and Pragma; nil where those count.
    public var directives: CacheControl? { isInvalid ? nil : read }
    private var read: CacheControl?
    private var isInvalid = false

    /// Absent.
    public init() {}

    /// Adds the members of one more field line.
    public mutating func merge(_ fieldValue: Span<UInt8>) {
        var directives = read ?? CacheControl()
        var start = 0
        repeat {
            let comma = fieldValue.firstUnquoted(UInt8(ascii: ","), in: start..<fieldValue.count, escaping: true)
            let end = comma ?? fieldValue.count
            let member = fieldValue.trimmingWhitespace(start..<end)
            if comma == nil || !directives.set(member, fieldValue) { isInvalid = true }
            start = end + 1
        } while start <= fieldValue.count
        read = directives
    }
}

extension CacheControl {
    /// Takes one member over: `key`, or `key=value`. Of several with one key the last counts.
    /// - Returns: false for bytes that are no member, and for a value of a type that makes no
    ///   sense.
    fileprivate mutating func set(_ member: Range<Int>, _ bytes: Span<UInt8>) -> Bool {
        guard let end = bytes.firstUnquoted(UInt8(ascii: ";"), in: member, escaping: true),
            let equals = bytes.firstUnquoted(UInt8(ascii: "="), in: member.lowerBound..<end, escaping: true)
        else { return false }
        let (key, value) = (member.lowerBound..<equals, min(equals + 1, end)..<end)
        guard Self.isKey(bytes, key), equals == end || !value.isEmpty else { return false }
        if let number = Self.number(bytes, key) {
            guard let seconds = Self.integer(bytes, value) else { return false }
            self[keyPath: number] = seconds
        } else {
            _ = mergeFlag(bytes, key, isSet: !bytes.equals(value, "?0"))
        }
        return true
    }

    private static func number(_ bytes: Span<UInt8>, _ key: Range<Int>) -> WritableKeyPath<CacheControl, Int?>? {
        if bytes.equals(key, "max-age") { return \.maxAge }
        if bytes.equals(key, "s-maxage") { return \.sMaxAge }
        if bytes.equals(key, "stale-while-revalidate") { return \.staleWhileRevalidate }
        return bytes.equals(key, "stale-if-error") ? \.staleIfError : nil
    }

    /// RFC 9651 3.1.2: no capitals.
    private static func isKey(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        guard let first = range.first, isLowercase(bytes[first]) || bytes[first] == UInt8(ascii: "*") else {
            return false
        }
        return range.allSatisfy { index in
            isLowercase(bytes[index]) || ASCII.isDigit(bytes[index]) || "_-.*".utf8.contains(bytes[index])
        }
    }

    private static func isLowercase(_ byte: UInt8) -> Bool { byte &- 0x61 < 26 }

    /// Fifteen digits at most (RFC 9651 3.3.1), brought within the bounds of seconds.
    private static func integer(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int? {
        let isNegative = range.first.map { bytes[$0] == UInt8(ascii: "-") } ?? false
        let digits = range.dropFirst(isNegative ? 1 : 0)
        guard digits.count <= 15, let number = Decimal.parse(bytes, digits) else { return nil }
        return isNegative ? 0 : min(number, DeltaSeconds.max)
    }
}
