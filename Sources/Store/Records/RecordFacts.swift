// The facts of a record besides fields and body: its end in a segment, so that a hit reads that and
// no row.
// Must hold: a segment says what the row of `entry` said when it was written; no bytes of a damaged
// file can trap.

/// The facts of a record. Operators read most of them in the file; this module compares and copies
/// them.
public struct RecordFacts: Sendable {
    /// Durations in seconds, none above `longest`, and none below zero but `freshFor`. This module
    /// does not interpret them.
    public struct Times: Sendable, Equatable {
        /// Above `-longest`.
        public let freshFor: Int
        public let staleFor: Int
        public let staleIfErrorFor: Int
        public let keepFor: Int
        public let initialAge: Int

        /// 68 years.
        static let longest = 1 << 31

        public init(freshFor: Int, staleFor: Int, staleIfErrorFor: Int, keepFor: Int, initialAge: Int) {
            (self.freshFor, self.staleFor, self.staleIfErrorFor) = (freshFor, staleFor, staleIfErrorFor)
            (self.keepFor, self.initialAge) = (keepFor, initialAge)
        }

        fileprivate var arePlausible: Bool {
            func isPlausible(_ seconds: Int) -> Bool { 0...Self.longest ~= seconds }
            return 1 - Self.longest...Self.longest ~= freshFor && isPlausible(staleFor) && isPlausible(staleIfErrorFor)
                && isPlausible(keepFor) && isPlausible(initialAge)
        }
    }

    public let status: Int
    public let classTag: UInt8
    /// Unix seconds.
    public let receivedAt: Int64
    /// The number of the latest purge when the record's content was fetched (`PurgeList`).
    public internal(set) var born: Int64
    public internal(set) var times: Times
    public let storefront: [UInt8]
    /// The request fields that choose among the variants of the target, in a record that leads to
    /// these. Empty for all others.
    public let selecting: [UInt8]
    /// The numbers of the resources that the content names, ascending; `everyResource` alone where
    /// it may name any.
    public let resources: [UInt64]

    /// The number that means any resource.
    public static let everyResource = UInt64.max
    /// The bytes before those whose number differs from record to record.
    private static let fixedBytes = 44
    /// The bytes of `born`, after these in a record that has it.
    private static let bornBytes = 8
    /// The year 9999, in unix seconds.
    private static let latest: Int64 = 253_402_300_799

    public init(
        status: Int, classTag: UInt8, receivedAt: Int64, born: Int64 = 0, times: Times, storefront: [UInt8],
        selecting: [UInt8], resources: [UInt64]
    ) {
        (self.status, self.classTag, self.receivedAt, self.times) = (status, classTag, receivedAt, times)
        self.born = born
        (self.storefront, self.selecting, self.resources) = (storefront, selecting, resources)
    }

    /// Whether it is counted, listed and walked through. One that only leads to others is not.
    var isListed: Bool { selecting.isEmpty }

    /// Whether its bytes have `born`: without it a record is as those of a file before version 11.
    var hasBorn: Bool { born != 0 }

    /// Whether the numbers can be those of a record.
    var arePlausible: Bool {
        100...999 ~= status && 0...Self.latest ~= receivedAt && born >= 0 && times.arePlausible
    }

    /// Whether the content names the resource of this number, as far as anyone can tell.
    /// - Parameter resources: ascending.
    public static func mayName(_ resource: UInt64, _ resources: [UInt64]) -> Bool {
        if resources.last == everyResource { return true }
        var (low, high) = (0, resources.count)
        while low < high {
            let middle = (low + high) / 2
            if resources[middle] < resource { low = middle + 1 } else { high = middle }
        }
        return low < resources.count && resources[low] == resource
    }

    /// The facts in these bytes, and the checksum before them; nil where they cannot be those of a
    /// record.
    /// - Parameter hasBorn: whether `born` is among them; otherwise it is 0.
    static func read(_ raw: UnsafeRawBufferPointer, hasBorn: Bool) -> (facts: RecordFacts, checksum: UInt64)? {
        let fixedBytes = hasBorn ? fixedBytes + bornBytes : fixedBytes
        guard raw.count >= fixedBytes else { return nil }
        func load<Number: FixedWidthInteger & BitwiseCopyable>(_ type: Number.Type, _ offset: Int) -> Number {
            Number(littleEndian: raw.loadUnaligned(fromByteOffset: offset, as: type))
        }
        func seconds(_ number: Int) -> Int { Int(load(UInt32.self, 16 + number * 4)) }
        let selectingStart = fixedBytes + Int(raw[39])
        let resourcesStart = selectingStart + Int(load(UInt32.self, 40))
        guard resourcesStart <= raw.count, (raw.count - resourcesStart) % 8 == 0 else { return nil }
        let facts = RecordFacts(
            status: Int(load(UInt16.self, 36)), classTag: raw[38], receivedAt: load(Int64.self, 8),
            born: hasBorn ? load(Int64.self, Self.fixedBytes) : 0,
            times: Times(
                freshFor: Self.signed(load(UInt32.self, 20)), staleFor: seconds(2),
                staleIfErrorFor: seconds(3), keepFor: seconds(4), initialAge: seconds(0)),
            storefront: Array(raw[fixedBytes..<selectingStart]),
            selecting: Array(raw[selectingStart..<resourcesStart]),
            resources: stride(from: resourcesStart, to: raw.count, by: 8).map { load(UInt64.self, $0) })
        return facts.arePlausible ? (facts, load(UInt64.self, 0)) : nil
    }

    /// The number of seconds that was truncated to 32 bits. 2^31 is not negative.
    private static func signed(_ seconds: UInt32) -> Int {
        Int(seconds) <= Times.longest ? Int(seconds) : Int(Int32(bitPattern: seconds))
    }

    /// The bytes that `append` appends.
    var byteCount: Int {
        Self.fixedBytes + (hasBorn ? Self.bornBytes : 0) + storefront.count + selecting.count + resources.count * 8
    }

    /// Numbers with the least significant byte first, in the order in which `read` reads them.
    /// - Parameter checksum: over everything that is written, as `entry.checksum`.
    func append(to bytes: inout [UInt8], checksum: UInt64) {
        func append(_ number: some FixedWidthInteger) {
            withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
        }
        append(checksum)
        append(receivedAt)
        append(UInt32(times.initialAge))
        append(UInt32(truncatingIfNeeded: times.freshFor))
        append(UInt32(times.staleFor))
        append(UInt32(times.staleIfErrorFor))
        append(UInt32(times.keepFor))
        append(UInt16(truncatingIfNeeded: status))
        append(classTag)
        // One that is too long for its number does not agree with the checksum and is never found.
        append(UInt8(truncatingIfNeeded: storefront.count))
        append(UInt32(truncatingIfNeeded: selecting.count))
        if hasBorn { append(born) }
        bytes.append(contentsOf: storefront)
        bytes.append(contentsOf: selecting)
        for resource in resources { append(resource) }
    }
}
