import EventLoop
import Store

extension Endpoint {
    /// The URL; the port is left out where it is the scheme's own.
    var url: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return (isTLS ? "https://" : "http://") + name + (port == (isTLS ? 443 : 80) ? "" : ":\(port)")
    }

    /// The origin of answers that it gives, without regard to spelling.
    var origin: Origin {
        let literal = SocketAddress(host: host, port: port).flatMap { $0.isIPv6 ? $0.host : nil }
        return Origin(isTLS: isTLS, host: literal ?? host, port: port)
    }

    /// Reads a server as `upstream` and `--admin` name it: `http://HOST[:PORT]` or
    /// `https://HOST[:PORT]`, nothing more.
    ///
    /// No path, because request targets are forwarded as they are; no user name or password,
    /// because a secret does not belong into a configuration or an argument list.
    init(url text: String) throws(ValueError) {
        let lower = text.lowercased()
        guard let scheme = ["https://", "http://"].first(where: { lower.hasPrefix($0) }) else {
            throw ValueError(text, isNot: "a URL that begins with https:// or http://")
        }
        let isTLS = scheme == "https://"
        let rest = lower.dropFirst(scheme.count)
        guard !rest.contains("@") else { throw ValueError("a URL must not contain a user name or password") }
        let authority = rest.hasSuffix("/") ? rest.dropLast() : rest
        guard !authority.contains(where: { "/?#\\".contains($0) }) else {
            throw ValueError("\(quoted(text)) must end after the host and port: no path, query or fragment")
        }
        let (host, port) = try Self.split(authority, of: text)
        self.init(isTLS: isTLS, host: host, port: port ?? (isTLS ? 443 : 80))
    }

    /// Host and port of `HOST[:PORT]` in lower case; `text` is for the error.
    static func split(_ authority: Substring, of text: String) throws(ValueError) -> (String, UInt16?) {
        let isBracketed = authority.first == "["
        let end =
            isBracketed ? authority.firstIndex(of: "]").map(authority.index(after:)) : authority.firstIndex(of: ":")
        guard end != nil || !isBracketed else { throw ValueError(text, isNot: "a URL: its bracket is not closed") }
        let name = authority[..<(end ?? authority.endIndex)]
        let host = String(isBracketed ? name.dropFirst().dropLast() : name)
        guard isBracketed ? SocketAddress(host: host, port: 0)?.isIPv6 == true : isHostName(host) else {
            throw ValueError(text, isNot: "a URL with a valid host")
        }
        let tail = authority[name.endIndex...]
        guard !tail.isEmpty else { return (host, nil) }
        let digits = tail.dropFirst()
        guard tail.first == ":", digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits),
            port > 0
        else { throw ValueError(text, isNot: "a URL with a valid port (1 to 65535)") }
        return (host, port)
    }

    private static func isHostName(_ text: String) -> Bool {
        PlainWord.isOne(text, with: "-._", upTo: 253) && !text.hasPrefix(".") && !text.contains("..")
    }
}
