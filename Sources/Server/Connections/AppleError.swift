import HTTP

/// An error that the proxy itself has to answer, in the shape of the API's own errors
/// (APPLE-MUSIC-API 8.1), so that an app's error handling meets one shape only.
///
/// Constant texts: nothing of the request is reflected (FRAMING 7.5).
public struct AppleError: Sendable {
    /// Status of the answer.
    public let status: Int
    /// For the people who debug the app.
    let detail: String

    /// - Parameter detail: a constant text.
    public init(status: Int, detail: String) {
        (self.status, self.detail) = (status, detail)
    }

    /// `{"errors":[{"id","title","detail","status","code"}]}`; status and code are strings, code is
    /// the status and `00`.
    public var content: [UInt8] {
        let title = String(describing: reasonPhrase(status))
        let text =
            "{\"errors\":[{\"id\":\"\(Self.makeID())\",\"title\":\"\(title)\",\"detail\":\"\(detail)\","
            + "\"status\":\"\(status)\",\"code\":\"\(status)00\"}]}"
        return Array(text.utf8)
    }

    /// Begins a head: the status line and the fields that describe the content.
    package static func writeHead(status: Int, contentLength: Int, to buffer: inout ByteBuffer) {
        buffer.appendStatusLine(status)
        buffer.append("Content-Type: application/json;charset=utf-8\r\nContent-Length: ")
        buffer.append(decimal: contentLength)
        buffer.append("\r\n")
    }

    /// The head as a recording has it.
    package static func fields(retryAfter: Int?) -> [UInt8] {
        let type = "Content-Type: application/json;charset=utf-8\r\n"
        return Array((type + (retryAfter.map { "Retry-After: \($0)\r\n" } ?? "")).utf8)
    }

    /// 26 characters of base32, as Apple's correlation keys have.
    private static func makeID() -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
        var generator = SystemRandomNumberGenerator()
        return String((0..<26).map { _ in alphabet[Int.random(in: 0..<32, using: &generator)] })
    }
}
