import Cache
import Freshness
import Text

// A value in the shared engine: one answer, its node, and its time.
// Must hold: a value is taken only under its own key, byte for byte, whichever command the engine
// replied to; no bytes can trap; no personal and no composed answer is ever written.
//
// Numbers have the least significant byte first:
//
//     0   4   "RfT" and the version's digit
//     4   4   how many bytes the key has
//     8   4   how many bytes the record has
//    12   4   check number over the rest of the head and the key
//    16   8   the log mark: its epoch
//    24  16   the log mark: its position
//    40       the key, then the record (`PortableRecord`), which has a checksum of its own

/// An answer in the shared tier.
package struct TierValue: Sendable {
    package let response: StoredResponse
    /// The position in the purge log of the node that fetched it, when the fetch began.
    let logMark: LogMark

    init(_ response: StoredResponse, logMark: LogMark) {
        (self.response, self.logMark) = (response, logMark)
    }

    /// Counted up when the bytes come to mean something else. Names of keys have it too.
    static let version = 1
    /// Most bytes under one key. Larger answers are few, and one of them would keep a
    /// connection busy while others wait.
    static let maxBytes = 4 << 20
    /// Most bytes of an answer that hints name: many of them are fetched at once.
    static let maxHintedBytes = 1 << 20
    static let headBytes = 40
    /// "RfT" and a digit, as four bytes are read.
    static let mark: UInt32 = 0x0054_6652 | UInt32(UInt8(ascii: "0") + UInt8(version)) << 24

    /// How long it is kept in the engine: as long as it is fresh, in milliseconds; nil for a stale
    /// one. `now` in unix seconds.
    ///
    /// No node takes more. Another's rule can shorten that, and never prolongs it; a soft purge
    /// makes it worth nothing to others; and where the origin fails, a node serves stale answers of
    /// its own alone.
    func millisecondsToLive(at now: Int64) -> Int? {
        guard case .fresh(let seconds) = Freshness.of(response, at: now) else { return nil }
        return seconds * 1000
    }

    /// The value's bytes in the engine; nil for a personal, a composed or a damaged answer, and for
    /// one that would take more than `maxBytes`.
    func encoded() -> [UInt8]? {
        let key = response.key.bytes
        guard response.isPortable else { return nil }
        let record = PortableRecord.record(of: response)
        let count = Self.headBytes + key.count + record.portableByteCount
        guard count <= Self.maxBytes else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        func append(_ number: some FixedWidthInteger) {
            withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
        }
        append(Self.mark)
        append(UInt32(key.count))
        append(UInt32(record.portableByteCount))
        append(UInt32(0))
        append(logMark.epoch.number)
        append(logMark.position.milliseconds)
        append(logMark.position.sequence)
        bytes.append(contentsOf: key)
        let check = Self.checkNumber(bytes[...])
        withUnsafeBytes(of: check.littleEndian) { bytes.replaceSubrange(Self.checkPlace, with: $0) }
        record.appendPortable(to: &bytes)
        return bytes
    }

    static let checkPlace = 12..<16

    /// Over head and key, but for its own place.
    static func checkNumber(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        let start = bytes.startIndex
        var sum = Checksum()
        sum.combine(bytes[start..<(start + checkPlace.lowerBound)])
        sum.combine(bytes[(start + checkPlace.upperBound)...])
        return UInt32(truncatingIfNeeded: sum.value)
    }
}
