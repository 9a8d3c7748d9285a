import HTTP
import Server
import Text

/// An answer of the operator's surface before it is bytes.
///
/// Must hold: every answer has the fields that keep browsers from storing, framing, sniffing or
/// sharing it.
struct AdminReply: Sendable {
    var status = 200
    var type: StaticString = "application/json"
    var content: [UInt8]
    /// Beside those that every answer has.
    var fields: [(name: StaticString, value: String)] = []
    /// `Content-Security-Policy`: nothing is loaded, framed or sent from here, unless a page needs
    /// it.
    var contentPolicy = "default-src 'none'; frame-ancestors 'none'"

    /// The page's own address where it leads elsewhere.
    var referrerPolicy: StaticString = "no-referrer"

    /// The rule that refused the call; nil for other answers.
    var refusal: AdminRefusalReason?

    static func json(_ value: JSON) -> AdminReply { AdminReply(content: value.bytes + [UInt8(ascii: "\n")]) }

    static func text(_ text: String, status: Int = 200) -> AdminReply {
        AdminReply(status: status, type: "text/plain", content: Array(text.utf8))
    }

    /// An error in the shape of the proxy's own. `detail` has no quotation marks and nothing of the
    /// request but names.
    static func error(_ status: Int, _ detail: String) -> AdminReply {
        AdminReply(status: status, content: AppleError(status: status, detail: detail).content)
    }

    /// Sends a browser on to another page of this listener.
    static func redirect(to path: String) -> AdminReply {
        AdminReply(status: 303, type: "text/plain", content: []).adding("Location", path)
    }

    func adding(_ name: StaticString, _ value: String) -> AdminReply {
        var reply = self
        reply.fields.append((name, value))
        return reply
    }

    /// This answer, as one that refuses the call.
    func refusing(_ reason: AdminRefusalReason) -> AdminReply {
        var reply = self
        reply.refusal = reason
        return reply
    }

    static func unauthorized(_ reason: AdminRefusalReason) -> AdminReply {
        .error(401, "This requires the token of admin_token_file.")
            .adding("WWW-Authenticate", "Bearer realm=\"refrain\"").refusing(reason)
    }
}

extension ClientConnection {
    func send(_ reply: AdminReply) {
        respond(content: reply.content) { buffer in
            reply.writeHead(to: &buffer)
            buffer.append("Content-Length: ")
            buffer.append(decimal: reply.content.count)
            buffer.append("\r\n")
        }
    }

    /// Sends the head of a reply whose content comes piece by piece, until the connection is ended.
    func beginEndless(_ reply: AdminReply) {
        beginEndlessAnswer { reply.writeHead(to: &$0) }
    }
}

extension AdminReply {
    /// Writes the head but for the length of the content.
    fileprivate func writeHead(to buffer: inout ByteBuffer) {
        buffer.appendStatusLine(status)
        let always: [(name: StaticString, value: String)] = [
            ("Content-Type", "\(type)"), ("Content-Security-Policy", contentPolicy), ("Cache-Control", "no-store"),
            ("X-Content-Type-Options", "nosniff"), ("Cross-Origin-Resource-Policy", "same-origin"),
            ("Referrer-Policy", "\(referrerPolicy)"), ("X-Frame-Options", "DENY"),
        ]
        for (name, value) in fields + always { buffer.append("\(name): \(value)\r\n") }
    }
}
