/// What the Connection fields of a head say (RFC 9110 7.6.1, RFC 9112 9.3).
struct ConnectionOptions {
    private var closes = false
    private var keepsAlive = false
    /// Whether a field that frames or routes the message is declared hop-by-hop, which would strip
    /// it from what is forwarded (CVE-2022-45059).
    private(set) var namesFramingField = false

    init(_ bytes: Span<UInt8>, _ fields: Fields) {
        guard fields.contains(.connection) else { return }
        for field in fields where field.id == .connection {
            // What nearly every client sends needs no taking apart.
            if bytes.equalsIgnoringCase(field.value.range, "keep-alive") {
                keepsAlive = true
                continue
            }
            var elements = ListElements(field.value)
            while let option = elements.next(in: bytes)?.range {
                if bytes.equalsIgnoringCase(option, "close") {
                    closes = true
                } else if bytes.equalsIgnoringCase(option, "keep-alive") {
                    keepsAlive = true
                } else if bytes.equalsIgnoringCase(option, "host")
                    || bytes.equalsIgnoringCase(option, "content-length")
                    || bytes.equalsIgnoringCase(option, "transfer-encoding")
                {
                    namesFramingField = true
                }
            }
        }
    }

    /// Whether the connection persists after a message of this version.
    func persists(_ version: Version) -> Bool { !closes && (version == .http11 || keepsAlive) }
}
