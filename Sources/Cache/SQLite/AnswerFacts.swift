import Freshness

// The facts that a hit needs of an answer besides fields and body: the end of a record, so that a
// hit reads that and no row.
// Must hold: it says what the row of `entry` said when it was written; no bytes of a damaged file
// can trap.

struct AnswerFacts {
    /// Over everything that is written, as `entry.checksum`.
    var checksum: UInt64
    var lifetime: Lifetime
    let receivedAt: Int64
    let status: Int
    let classTag: UInt8
    let storefront: [UInt8]
    let selecting: [UInt8]
    let resources: [UInt64]

    /// The bytes before those whose number differs from answer to answer.
    private static let fixedBytes = 44
    /// The year 9999, in unix seconds.
    static let latest: Int64 = 253_402_300_799

    init(_ response: StoredResponse, checksum: UInt64) {
        self.checksum = checksum
        lifetime = response.lifetime
        receivedAt = response.receivedAt
        status = response.status
        classTag = response.classTag
        storefront = response.storefront
        selecting = response.selecting
        resources = response.resources
    }

    /// Nil where the bytes cannot be those of an answer.
    init?(_ raw: UnsafeRawBufferPointer) {
        guard raw.count >= Self.fixedBytes else { return nil }
        func load<Number: FixedWidthInteger & BitwiseCopyable>(_ type: Number.Type, _ offset: Int) -> Number {
            Number(littleEndian: raw.loadUnaligned(fromByteOffset: offset, as: type))
        }
        func seconds(_ number: Int) -> Int { Int(load(UInt32.self, 16 + number * 4)) }
        checksum = load(UInt64.self, 0)
        receivedAt = load(Int64.self, 8)
        lifetime = Lifetime(
            freshFor: seconds(1), staleFor: seconds(2), staleIfErrorFor: seconds(3), keepFor: seconds(4),
            initialAge: seconds(0))
        status = Int(load(UInt16.self, 36))
        classTag = raw[38]
        let selectingStart = Self.fixedBytes + Int(raw[39])
        let resourcesStart = selectingStart + Int(load(UInt32.self, 40))
        guard resourcesStart <= raw.count, (raw.count - resourcesStart) % 8 == 0, (100...999).contains(status),
            (0...Self.latest).contains(receivedAt)
        else { return nil }
        storefront = Array(raw[Self.fixedBytes..<selectingStart])
        selecting = Array(raw[selectingStart..<resourcesStart])
        resources = stride(from: resourcesStart, to: raw.count, by: 8).map { load(UInt64.self, $0) }
    }

    /// The bytes that `append` appends.
    var byteCount: Int {
        Self.fixedBytes + storefront.count + selecting.count + resources.count * 8
    }

    /// Numbers with the least significant byte first, in the order in which `init` reads them.
    func append(to bytes: inout [UInt8]) {
        func append(_ number: some FixedWidthInteger) {
            withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
        }
        append(checksum)
        append(receivedAt)
        for seconds in [
            lifetime.initialAge, lifetime.freshFor, lifetime.staleFor, lifetime.staleIfErrorFor, lifetime.keepFor,
        ] {
            append(UInt32(seconds))
        }
        append(UInt16(truncatingIfNeeded: status))
        append(classTag)
        // One that is too long for its number does not agree with the checksum and is never found.
        append(UInt8(truncatingIfNeeded: storefront.count))
        append(UInt32(truncatingIfNeeded: selecting.count))
        bytes.append(contentsOf: storefront)
        bytes.append(contentsOf: selecting)
        for resource in resources { append(resource) }
    }
}
