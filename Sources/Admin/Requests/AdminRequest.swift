import HTTP
import Server

/// A request as the endpoints and the authorizer see it.
struct AdminRequest: Sendable {
    var method = HTTP.Method.get
    var path = "/"
    /// Text after the `?`; nil without one.
    var query: String?
    var host: String?
    /// Whether `Host` is a loopback name or address.
    var addressesLoopback = true
    var origin: String?
    var fetchSite: String?
    /// In lower case, without parameters.
    var contentType: String?
    /// Whether it is a browser's that wants a page.
    var wantsPage = false

    /// Whether a browser sent it: no other program says these things.
    var isFromBrowser: Bool { origin != nil || fetchSite != nil }

    /// Whether a page of another origin made the browser send it. This listener speaks no TLS, so
    /// its own pages' origin is `http://` and its host.
    var isCrossSite: Bool {
        if let fetchSite, fetchSite != "same-origin", fetchSite != "none" { return true }
        guard let origin else { return false }
        return host.map { origin.lowercased() != "http://" + $0.lowercased() } ?? true
    }
}

// Made before anything is known of the client: no value is looked through character by character.

extension AdminRequest {
    init(_ connection: ClientConnection) {
        let head = connection.head
        connection.withHeadBytes { bytes in
            func value(_ name: FieldName) -> String? { head.fields.first(name).map { bytes.text($0.value) } }
            let target = head.target.range
            let mark = target.first { bytes[$0] == UInt8(ascii: "?") }
            method = head.method
            path = bytes.text(ByteRange(target.lowerBound, mark ?? target.upperBound))
            query = mark.map { bytes.text(ByteRange($0 + 1, target.upperBound)) }
            host = value(.host)
            addressesLoopback = head.addressesLoopback(bytes)
            // Two of them leave open which one counts.
            origin = head.fields.count(.origin) > 1 ? "" : value(.origin)
            contentType = head.fields.first(.contentType).map { field in
                let end = field.value.range.first { bytes[$0] == UInt8(ascii: ";") || bytes[$0] == UInt8(ascii: " ") }
                return bytes.text(ByteRange(Int(field.value.start), end ?? Int(field.value.end))).lowercased()
            }
            wantsPage = head.method == .get && Self.accepts("text/html", head, bytes)
            for field in head.fields where field.id == .other {
                if bytes.equalsIgnoringCase(field.name.range, "sec-fetch-site") { fetchSite = bytes.text(field.value) }
            }
        }
    }

    /// Whether `Accept` names a type, whatever its weight.
    private static func accepts(_ type: StaticString, _ head: RequestHead, _ bytes: Span<UInt8>) -> Bool {
        guard let field = head.fields.first(.accept) else { return false }
        var elements = ListElements(field.value)
        while let element = elements.next(in: bytes)?.range {
            let end = min(element.upperBound, element.lowerBound + type.utf8CodeUnitCount)
            guard bytes.equalsIgnoringCase(element.lowerBound..<end, type) else { continue }
            if end == element.upperBound || bytes[end] == UInt8(ascii: ";") || bytes[end] == 0x20 { return true }
        }
        return false
    }
}
