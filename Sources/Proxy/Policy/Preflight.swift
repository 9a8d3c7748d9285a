import HTTP

// Preflights of the Fetch standard's CORS protocol: a browser asks whether a page may send a
// request. They are answered here, because they ask about the proxy and not about the origin.

extension CrossOrigin {
    private static let methods: [StaticString] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]

    static func isPreflight(_ head: RequestHead) -> Bool {
        head.method == .options && head.fields.contains(.origin)
            && head.fields.contains(.accessControlRequestMethod)
    }

    static func writePreflight(allowing fields: PageFields, to buffer: inout ByteBuffer) {
        buffer.appendStatusLine(204)
        for (index, method) in methods.enumerated() {
            buffer.append(index == 0 ? "Access-Control-Allow-Methods: " : ", ")
            buffer.append(method)
        }
        buffer.append("\r\nAccess-Control-Allow-Headers: ")
        buffer.append(fields.text)
        buffer.append("\r\nAccess-Control-Max-Age: 86400\r\n")
    }

    /// Why the browser will not send the request that its preflight asks about; nil where it will.
    func preflightRefusal(of head: RequestHead, _ bytes: Span<UInt8>, allowing fields: PageFields) -> StaticString? {
        if case .only = self, let origin = head.fields.first(.origin), !names(bytes.extracting(origin.value.range)) {
            return "origin-not-allowed"
        }
        if let method = head.fields.first(.accessControlRequestMethod)?.value.range,
            !Self.methods.contains(where: { bytes.equals(method, $0) })
        {
            return "method-not-allowed"
        }
        guard let list = head.fields.first(.accessControlRequestHeaders)?.value else { return nil }
        return fields.include(listedAt: list, bytes) ? nil : "header-not-allowed"
    }
}
