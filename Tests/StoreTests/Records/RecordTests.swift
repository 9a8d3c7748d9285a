import Testing

@testable import Store

struct RecordTests {
    /// A file of a version before must be read, and one of this version by that.
    @Test func theBytesOfARecordStayAsTheyWere() throws {
        let plain = record("/a", "{}", resources: [1, 7])
        let coded = record("/a", "gzip", storefront: "jp", classTag: 255, isGzip: true)
        let leading = record("/a", "", selecting: "accept-language", variant: "v")
        #expect(
            lines(plain) == [
                "526563319db2423c754e7a14e5367e6202000000200000003e00000000000000",
                "7b7d436f6e74656e742d547970653a206170706c69636174696f6e2f6a736f6e",
                "0d0ac97afabc4117b03500d2496b0000000000000000e8030000000000000000",
                "000000000000c800010200000000757301000000000000000700000000000000",
            ])
        #expect(
            lines(coded) == [
                "52656331f5a29e4a754e7a14e5367e6204000000200000002e00000001000000",
                "677a6970436f6e74656e742d547970653a206170706c69636174696f6e2f6a73",
                "6f6e0d0a89e4211c20343acc00d2496b0000000000000000e803000000000000",
                "0000000000000000c800ff02000000006a70",
            ])
        #expect(
            lines(leading) == [
                "526563319f72974dc1f9f8aaf57cf52100000000200000003d00000000000000",
                "436f6e74656e742d547970653a206170706c69636174696f6e2f6a736f6e0d0a",
                "233e1ed4e60fbd0400d2496b0000000000000000e80300000000000000000000",
                "00000000c80001020f00000075736163636570742d6c616e6775616765",
            ])
    }

    @Test func aRecordIsReadForItsKeyAlone() throws {
        let one = record("/a", filler(100), selecting: "accept", resources: [.max], isGzip: true, variant: "v")
        var bytes: [UInt8] = []
        one.appendPortable(to: &bytes)
        #expect(bytes.count == one.portableByteCount)
        let found = Record(portable: bytes.span, for: one.key)
        let read = try #require(found)
        #expect(read.body == one.body && read.fields == one.fields && read.isGzip && read.facts.resources == [.max])
        #expect(read.checksum == one.checksum)
        let other = try #require(RecordKey(target: Array("/a".utf8), variant: Array("w".utf8)))
        let ofAnother = Record(portable: bytes.span, for: other)
        #expect(ofAnother == nil)
        for position in bytes.indices {
            var changed = bytes
            changed[position] ^= 1
            let found = Record(portable: changed.span, for: one.key)
            #expect(found == nil, "byte \(position)")
            let cut = Record(portable: bytes.span.extracting(..<position), for: one.key)
            #expect(cut == nil, "\(position) bytes")
        }
        for more in [bytes + [0], bytes + bytes] {
            let found = Record(portable: more.span, for: one.key)
            #expect(found == nil, "\(more.count) bytes")
        }
    }

    /// Numbers of purges are one process's own.
    @Test func aRecordHasItsNumberInSegmentsAlone() throws {
        let (born, plain) = (record("/a", born: 7, resources: [1]), record("/a", resources: [1]))
        #expect(lines(born) == lines(plain) && born.checksum != plain.checksum)
        #expect(born.portableByteCount == plain.portableByteCount)
        var bytes: [UInt8] = []
        let head = SegmentRecord(born, key: born.key.index)
        head.appendAlone(born, checksum: born.checksum, to: &bytes)
        #expect(bytes.starts(with: Array("Rec2".utf8)) && bytes.count == head.byteCount)
        #expect(bytes.count == plain.portableByteCount + 8)
        let read = try #require(bytes.withUnsafeBytes { raw in SegmentRecord(raw)?.record(for: born.key, raw) })
        #expect(read.facts.born == 7 && read.facts.resources == [1] && read.body == born.body)
        let portable = Record(portable: bytes.span, for: born.key)
        #expect(portable == nil, "no other process has written it")
        for position in bytes.indices {
            var changed = bytes
            changed[position] ^= 1
            let found = changed.withUnsafeBytes { raw in SegmentRecord(raw)?.record(for: born.key, raw) }
            // Flags that nobody reads.
            #expect(found == nil || 29...31 ~= position, "byte \(position)")
        }
    }

    private func lines(_ record: Record) -> [String] {
        var bytes: [UInt8] = []
        record.appendPortable(to: &bytes)
        return stride(from: 0, to: bytes.count, by: 32).map { start in
            bytes[start..<min(start + 32, bytes.count)].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
    }
}
