import HTTP

// Preflights of the Fetch standard's CORS protocol: a browser asks whether a page may send a
// request. They are answered here, because they ask about the proxy and not about the origin.

extension CrossOrigin {
    private static let methods = "GET, HEAD, POST, PUT, PATCH, DELETE"
    private static let fields = """
        Authorization, Music-User-Token, Media-User-Token, Content-Type, X-Refrain-Key, Cache-Control, \
        If-Modified-Since, If-None-Match, Range, traceparent, tracestate
        """

    static func isPreflight(_ head: RequestHead) -> Bool {
        head.method == .options && head.fields.contains(.origin)
            && head.fields.contains(.accessControlRequestMethod)
    }

    /// - Parameter more: request fields that pages may send besides those known here; `*`: any.
    static func writePreflight(allowing more: [UInt8], to buffer: inout ByteBuffer) {
        buffer.appendStatusLine(204)
        buffer.append("Access-Control-Allow-Methods: ")
        buffer.append(Array(methods.utf8))
        buffer.append("\r\nAccess-Control-Allow-Headers: ")
        buffer.append(Array(fields.utf8))
        if !more.isEmpty {
            buffer.append(", ")
            buffer.append(more)
        }
        buffer.append("\r\n")
        buffer.append("Access-Control-Max-Age: 86400\r\n")
    }

    /// Why the browser will not send the request that its preflight asks about; nil where it will.
    func preflightRefusal(of head: RequestHead, _ bytes: Span<UInt8>, allowing more: [UInt8]) -> StaticString? {
        func elements(_ name: FieldName) -> [Substring] {
            guard let field = head.fields.first(name) else { return [] }
            return Self.elements(String(decoding: bytes.extracting(field.value.range).copy(), as: UTF8.self))
        }
        if case .only = self, let origin = head.fields.first(.origin), !names(bytes.extracting(origin.value.range)) {
            return "origin-not-allowed"
        }
        let methods = Self.elements(Self.methods)
        if !elements(.accessControlRequestMethod).allSatisfy(methods.contains) { return "method-not-allowed" }
        let fields = Self.elements((Self.fields + "," + String(decoding: more, as: UTF8.self)).lowercased())
        let areAllowed = elements(.accessControlRequestHeaders).allSatisfy { fields.contains($0.lowercased()[...]) }
        return areAllowed || fields.contains("*") ? nil : "header-not-allowed"
    }

    private static func elements(_ list: String) -> [Substring] {
        list.split(whereSeparator: { $0 == "," || $0 == " " || $0 == "\t" })
    }
}
