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

extension AdminRequest {
    init(_ connection: ClientConnection) {
        let head = connection.head
        connection.withHeadBytes { bytes in
            func text(_ range: Range<Int>) -> String {
                range.reduce(into: "") { $0.unicodeScalars.append(Unicode.Scalar(bytes[$1])) }
            }
            func value(_ name: FieldName) -> String? { head.fields.first(name).map { text($0.value.range) } }
            let target = text(head.target.range)
            let mark = target.firstIndex(of: "?")
            method = head.method
            path = String(target[..<(mark ?? target.endIndex)])
            query = mark.map { String(target[target.index(after: $0)...]) }
            host = value(.host)
            addressesLoopback = head.addressesLoopback(bytes)
            // Two of them leave open which one counts.
            origin = head.fields.count(.origin) > 1 ? "" : value(.origin)
            contentType = value(.contentType)?.prefix { $0 != ";" && $0 != " " }.lowercased()
            wantsPage = head.method == .get && value(.accept)?.contains("text/html") == true
            for field in head.fields where field.id == .other {
                if bytes.equalsIgnoringCase(field.name.range, "sec-fetch-site") { fetchSite = text(field.value.range) }
            }
        }
    }
}
