/// Options in the Connection fields of a head (RFC 9110 7.6.1, RFC 9112 9.3). They are taken apart
/// once, because each field that is forwarded is compared with them.
public struct ConnectionOptions: Sendable {
    /// Longer lists are refused: each option is compared with each field that is forwarded, and no
    /// client means them.
    static let most = 32
    /// The bytes of all options together, for the same reason: with 100 fields (FRAMING 4.4) a head
    /// has 100 KiB compared, about what reading it costs.
    static let mostBytes = 1 << 10

    private var closes = false
    private var keepsAlive = false
    /// Options other than those two, which are names of fields.
    private var named: [ByteRange] = []
    /// Whether a field that frames or routes the message is declared hop-by-hop, which would strip
    /// it from the forwarded message (CVE-2022-45059).
    private(set) var namesFramingField = false

    /// No options.
    init() {}

    /// Replaces the options that were read before.
    /// - Throws: `ParseError.connectionOption` where there are more than `most`, or `mostBytes`.
    mutating func read(_ fields: Fields, _ bytes: Span<UInt8>) throws(ParseError) {
        removeAll()
        guard fields.contains(.connection) else { return }
        var (count, byteCount) = (0, 0)
        for field in fields where field.id == .connection {
            // The usual values need no parsing.
            if bytes.equalsIgnoringCase(field.value.range, "keep-alive") {
                keepsAlive = true
                continue
            }
            var elements = ListElements(field.value)
            while let option = elements.next(in: bytes) {
                count += 1
                byteCount += option.range.count
                guard count <= Self.most, byteCount <= Self.mostBytes else { throw .connectionOption }
                note(option, bytes)
            }
        }
    }

    private mutating func note(_ option: ByteRange, _ bytes: Span<UInt8>) {
        if bytes.equalsIgnoringCase(option.range, "close") {
            closes = true
        } else if bytes.equalsIgnoringCase(option.range, "keep-alive") {
            keepsAlive = true
        } else {
            named.append(option)
            namesFramingField =
                namesFramingField || bytes.equalsIgnoringCase(option.range, "host")
                || bytes.equalsIgnoringCase(option.range, "content-length")
                || bytes.equalsIgnoringCase(option.range, "transfer-encoding")
        }
    }

    mutating func removeAll() {
        (closes, keepsAlive, namesFramingField) = (false, false, false)
        if !named.isEmpty { named.removeAll(keepingCapacity: true) }
    }

    /// Whether the connection persists after a message of this version.
    func persists(_ version: Version) -> Bool { !closes && (version == .http11 || keepsAlive) }

    /// Whether a field ends here and is not passed on (RFC 9110 7.6.1).
    ///
    /// `bytes` are those that the ranges of the head and of `name` count in.
    public func names(_ name: ByteRange, _ bytes: Span<UInt8>) -> Bool {
        named.contains { bytes.equalsIgnoringCase($0.range, bytes, name.range) }
    }
}
