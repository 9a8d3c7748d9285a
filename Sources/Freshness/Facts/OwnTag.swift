import HTTP
import Text

// Entity tags that this cache makes (RFC 9110 8.8.3): for content that came without one, and for
// the coded form of content that has a strong one.
// Must hold: a tag changes whenever the content does, and is the same in every process and after
// every start; the two forms of an answer never share a strong tag.

/// Writes and recognises this cache's own entity tags.
public enum OwnTag {
    /// Follows the opening quote; then comes a digest.
    private static let start: StaticString = "\"refrain-"
    /// Before the closing quote of a coded form's tag.
    private static let codedEnd: StaticString = "-gzip"

    /// Whether an ETag's value is one that this cache made for content without a tag.
    static func isOwn(_ bytes: Span<UInt8>, _ value: Range<Int>) -> Bool {
        let count = start.utf8CodeUnitCount
        return value.count > count && bytes.equals(value.lowerBound..<(value.lowerBound + count), start)
    }

    /// Appends the line of a tag that is the first 128 bits of SHA-256 over the content; nothing
    /// where libcrypto refuses.
    ///
    /// A cache that follows an origin's rules stores for everything there is, and needs a digest.
    /// Under an operator's rule a checksum is enough (`appendChecksum`): two versions of one answer
    /// do not have it in common by chance, and there is no gain in making them agree, as a tag is
    /// only ever compared with those of the same target. A digest of 4 KB costs as much as all the
    /// rest of storing it.
    public static func appendDigest(of body: [UInt8], to fields: inout [UInt8]) {
        guard let digest = body.withUnsafeBytes({ Digest.sha256($0) }) else { return }
        fields.append(contentsOf: "ETag: \(start)".utf8)
        fields.appendHexadecimal(Digest.bigEndian(digest, from: 0))
        fields.appendHexadecimal(Digest.bigEndian(digest, from: 8))
        fields.append(contentsOf: "\"\r\n".utf8)
    }

    /// Appends the line of a tag that is a checksum with the length; gives where its value is.
    public static func appendChecksum(_ sum: UInt64, bodyCount: Int, to fields: inout [UInt8]) -> ByteRange {
        fields.reserveCapacity(fields.count + 64)
        fields.append(contentsOf: "ETag: ".utf8)
        let begin = fields.count
        start.withUTF8Buffer { fields.append(contentsOf: $0) }
        fields.append(UInt8(ascii: "c"))
        fields.appendHexadecimal(sum)
        fields.appendHexadecimal(UInt64(bodyCount))
        fields.append(UInt8(ascii: "\""))
        let end = fields.count
        fields.append(contentsOf: "\r\n".utf8)
        return ByteRange(begin, end)
    }

    /// Appends a field line as the coded form has it: a strong tag becomes that form's own.
    public static func appendCoded(_ line: FieldLines.Line, of fields: Span<UInt8>, to buffer: inout ByteBuffer) {
        guard line.id == .etag, let tag = EntityTag(fields, line.value), !tag.isWeak else {
            return buffer.append(fields.extracting(line.whole))
        }
        buffer.append(fields.extracting(line.whole.lowerBound..<(line.value.upperBound - 1)))
        buffer.append(codedEnd)
        buffer.append("\"\r\n")
    }

    /// Whether `other` is the tag of the coded form of an answer whose own is `tag`; ranges count
    /// in `bytes` and `head`.
    static func isCoded(_ other: EntityTag, _ bytes: Span<UInt8>, of tag: EntityTag, _ head: Span<UInt8>) -> Bool {
        let (given, own, end) = (other.opaque.range, tag.opaque.range, codedEnd.utf8CodeUnitCount)
        guard !tag.isWeak, given.count == own.count + end else { return false }
        let cut = given.lowerBound + own.count - 1
        return bytes.equals(given.lowerBound..<cut, head, own.lowerBound..<(own.upperBound - 1))
            && bytes.equals(cut..<(cut + end), codedEnd)
    }
}
