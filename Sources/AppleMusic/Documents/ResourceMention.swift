// Which resources an answer names, as numbers, for purges by resource.
//
// Must hold: the same type and id give the same number in every process and on disk, and the
// numbers of a content hold every resource that a reader of its JSON would see there, or say that
// they do not. A number that two resources share makes a purge take too much, never too little.

/// The numbers of the resources that a JSON document names.
///
/// A resource is an object with the string members `type` and `id` (APPLE-MUSIC-API 5.2.1),
/// wherever it is: primary data, a relationship, `included`, a search result. Of members with
/// one key the last counts, as everywhere here (`JSONObject`).
///
/// Its number is FNV-1a with 64 bits over the UTF-8 of the type, the byte FF, which no UTF-8 text
/// holds, and the UTF-8 of the id, escapes decoded; where that would be ``everything`` it is one
/// less.
public enum ResourceMention {
    /// The most numbers of one document, so that their storage has a bound.
    static let maxCount = 4_096
    /// Stands, alone, for all resources there are: the document names more than ``maxCount``, or
    /// begins like JSON but is malformed or nested deeper than ``JSON/maxDepth``, so that the
    /// resources it names are unknown.
    public static let everything = UInt64.max

    /// The number of one resource.
    public static func number(type: String, id: String) -> UInt64 { number(type, Array(id.utf8)) }

    static func number(_ type: String, _ id: [UInt8]) -> UInt64 {
        var hash = FNV1a()
        for byte in type.utf8 { hash.combine(byte) }
        hash.combine(separator)
        for byte in id { hash.combine(byte) }
        return number(hash)
    }

    static let separator: UInt8 = 0xFF

    static func number(_ hash: FNV1a) -> UInt64 { min(hash.value, everything - 1) }
}

/// FNV-1a with 64 bits (Fowler, Noll, Vo): short inputs, no key, and the same for ever.
struct FNV1a {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    @inline(__always)
    mutating func combine(_ byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }

    /// The bytes at `start..<end`.
    @inline(__always)
    mutating func combine(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) {
        precondition(start >= 0 && start <= end && end <= bytes.count)
        var index = start
        while index < end {
            combine(bytes[unchecked: index])
            index &+= 1
        }
    }
}
