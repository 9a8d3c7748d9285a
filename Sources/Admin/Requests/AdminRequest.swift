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
    /// Whether a server in front says that it got the request by TLS.
    var isForwardedTLS = false
    /// In lower case, without parameters.
    var contentType: String?
    /// Whether it is a browser's that wants a page.
    var wantsPage = false

    /// Whether a browser sent it: no other program says these things.
    var isFromBrowser: Bool { origin != nil || fetchSite != nil }

    /// Whether a page of another origin made the browser send it. A page of this listener has its
    /// host and port; its scheme is left open, because a server in front may have ended TLS.
    var isCrossSite: Bool {
        if let fetchSite, fetchSite != "same-origin", fetchSite != "none" { return true }
        guard origin != nil else { return false }
        guard let host, let page else { return true }
        return !page.isNamed(byHost: Array(host.utf8).span)
    }

    /// Whether the browser has this listener's pages by TLS, which a server in front ends. The page
    /// says so itself in `Origin`; else that server's word counts, and needs no trust: a client
    /// that writes it keeps only its own session out of clear text.
    var isSecure: Bool { page?.isTLS ?? isForwardedTLS }

    /// The origin of the page that sent it.
    private var page: SiteAddress? { origin.flatMap { SiteAddress(origin: Array($0.utf8).span) } }
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
                let name = field.name.range
                if bytes.equalsIgnoringCase(name, "sec-fetch-site") {
                    fetchSite = fetchSite == nil ? bytes.text(field.value) : ""
                } else if bytes.equalsIgnoringCase(name, "x-forwarded-proto") {
                    let scheme = Self.first(of: field.value, bytes).range
                    isForwardedTLS = isForwardedTLS || bytes.equalsIgnoringCase(scheme, "https")
                }
            }
            if let forwarded = head.fields.first(.forwarded) {
                var parameters = CookiePairs(Self.first(of: forwarded.value, bytes))
                while let parameter = parameters.next(in: bytes) {
                    guard bytes.equalsIgnoringCase(parameter.name, "proto") else { continue }
                    isForwardedTLS = isForwardedTLS || bytes.equalsIgnoringCase(parameter.value, "https")
                }
            }
        }
    }

    /// The first element of a list: the server nearest to the client wrote it.
    private static func first(of list: ByteRange, _ bytes: Span<UInt8>) -> ByteRange {
        var elements = ListElements(list)
        return elements.next(in: bytes) ?? ByteRange(0, 0)
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
