import Text

// The file keeps bytes and facts under one key. This module compares, copies and adds them up.
// Must hold: a record that comes out of the file is the one that went in: its checksum covers key,
// facts, fields and body, and is compared before anything of it is given out.

public struct Record: Sendable {
    public private(set) var key: RecordKey
    public internal(set) var facts: RecordFacts
    public let fields: ArraySlice<UInt8>
    public let body: [UInt8]
    /// Whether `body` is in gzip. This module never inflates it.
    public let isGzip: Bool
    /// The checksum of `body`; 0 where it has yet to be added up.
    private let bodySum: UInt64

    /// - Parameter bodySum: that of `body`, from code that has added it up; 0: not known.
    public init(
        key: RecordKey, facts: RecordFacts, fields: ArraySlice<UInt8>, body: [UInt8], isGzip: Bool, bodySum: UInt64 = 0
    ) {
        (self.key, self.facts, self.fields, self.body) = (key, facts, fields, body)
        (self.isGzip, self.bodySum) = (isGzip, bodySum)
    }

    /// The record as a file with this home has it, and back.
    func relative(to home: OriginTag) -> Record {
        var record = self
        record.key = key.relative(to: home)
        return record
    }

    /// The size that operators are told: target, variant, fields and body.
    var size: Int { key.target.count + key.variant.count + fields.count + body.count }

    /// About what it takes in memory.
    var byteCount: Int { rowByteCount + facts.storefront.count + fields.count + body.count + Self.overhead }
    /// Objects and the headers of arrays, rounded up.
    private static let overhead = 600

    /// The bytes of its row without numbers.
    var rowByteCount: Int { key.bytes.count + facts.selecting.count + facts.resources.count * 8 }

    /// The checksum over resources, fields, body and coding.
    var contentSum: UInt64 {
        var sum = Checksum()
        sum.combine(facts.resources.count)
        for resource in facts.resources { sum.combine(resource) }
        sum.combine(fields)
        sum.combine(body.count)
        sum.combine(bodySum == 0 ? Checksum.of(body.span) : bodySum)
        if isGzip { sum.combine(1) }
        return sum.value
    }

    /// Over everything that is written.
    var checksum: UInt64 { facts.checksum(of: key, contentSum: contentSum) }
}

extension RecordFacts {
    /// The checksum of a record with these facts. The content goes in as its own sum, so that a
    /// soft purge can change a row without adding it up again.
    func checksum(of key: RecordKey, contentSum: UInt64) -> UInt64 {
        var sum = Checksum()
        sum.combine(key.bytes[...])
        sum.combine(status)
        sum.combine(Int(classTag))
        sum.combine(Int(receivedAt))
        sum.combine(times.initialAge)
        sum.combine(times.freshFor)
        sum.combine(times.staleFor)
        sum.combine(times.staleIfErrorFor)
        sum.combine(times.keepFor)
        sum.combine(storefront[...])
        sum.combine(selecting[...])
        sum.combine(contentSum)
        if hasBorn { sum.combine(Int(born)) }
        // Without one, a record is as those of a file of version 10.
        if key.origin != .none { sum.combine(key.origin.bits) }
        return sum.value
    }
}
