import Admin
import AppleMusic
import Glibc
import HTTP
import Text

// `token`: the claims of the developer token in use. The token itself is shown only with
// `--reveal`.

extension Command {
    private static let reveal = CommandOption("reveal", "write only the token itself")

    static let token = Command(
        "token", "show claims and expiry of the developer token in use", options: [.config, reveal],
        details: [
            "If Refrain signs its own tokens, it signs one as serve would. An expired token is shown, and the exit "
                + "status is 1."
        ],
        examples: [
            .init("refrain token", "shows when the token expires"),
            .init(
                "(umask 077; refrain token --reveal > developer-token)",
                "writes the token to a file, for another program"),
        ]
    ) { arguments, context throws(CommandFailure) in
        let file = try ConfigurationFile.chosen(by: arguments, context)
        let now = Int64(Glibc.time(nil))
        let configuration = try ConfigurationReader.read(file, files: context.files).configuration
        guard let token = try configuration.developerTokens(at: now)?.current(at: now) else {
            throw .failed("\(file.path) names neither developer_token_file nor developer_key_file")
        }
        guard !arguments.has(reveal) else {
            context.output.line(token.withUnsafeBytes { String(decoding: $0, as: UTF8.self) })
            return .done
        }
        do throws(MalformedToken) {
            let claims = try TokenClaims(token: token)
            context.output.standard(claims.table(at: now))
            return claims.isExpired(at: now) ? .failed : .done
        } catch {
            let file = configuration.developerTokenFile.map { "\($0): " } ?? ""
            throw .failed("\(file)the developer token is \(error)")
        }
    }
}

extension TokenClaims {
    /// The claims for people, one a line.
    func table(at unixSeconds: Int64) -> String {
        let rows = [
            ("algorithm", algorithm ?? "-"), ("key", keyID ?? "-"), ("team", issuer ?? "-"),
            ("issued", Self.date(issuedAt)), ("expires", Self.date(expires)),
            ("remaining", expires.map { Self.span($0 - unixSeconds) } ?? "-"),
            ("origins", origins.isEmpty ? "any" : origins.joined(separator: ", ")),
        ]
        return Table.text(rows, width: nil)
    }

    private static func date(_ unixSeconds: Int64?) -> String {
        guard let unixSeconds else { return "-" }
        var buffer = ByteBuffer(capacity: 32)
        HTTPDate.append(unixSeconds, to: &buffer)
        return String(decoding: buffer.copyReadable(), as: UTF8.self)
    }

    private static func span(_ seconds: Int64) -> String {
        seconds > 0 ? SpanOfTime.text(Int(seconds)) : "expired"
    }
}
