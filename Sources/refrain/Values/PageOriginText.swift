import EventLoop

/// An argument of `cors_origin`: `*`, an origin of web pages (RFC 6454 6.2), or
/// `scheme://*.domain`.
enum PageOriginText {
    /// Longer than any scheme in use.
    private static let longestScheme = 32

    /// The origin as browsers write it: all of a site in lower case, other hosts as they are.
    static func normal(_ text: String) throws(ValueError) -> String {
        if text == "*" { return text }
        let refusal = ValueError(
            text,
            isNot: "* or an origin such as https://app.example.com, https://*.example.com or capacitor://localhost")
        let lower = text.lowercased()
        let scheme = lower.prefix { $0 != ":" }
        let rest = lower.dropFirst(scheme.count)
        guard isScheme(scheme), rest.hasPrefix("://") else { throw refusal }
        let authority = rest.dropFirst(3)
        guard !authority.contains("/") || scheme == "file" else {
            throw ValueError("\(quoted(text)) has a \"/\" after the host; an origin ends with the host and port")
        }
        do throws(ValueError) {
            if scheme == "http" || scheme == "https" { return try site(scheme, authority) }
            // Pages of files have an origin without a host in some web views.
            if scheme != "file" || !authority.isEmpty { _ = try Endpoint.split(authority, of: text) }
            return String(scheme) + text.dropFirst(scheme.count)
        } catch {
            throw refusal
        }
    }

    private static func site(_ scheme: Substring, _ authority: Substring) throws(ValueError) -> String {
        guard authority.hasPrefix("*.") else { return try Endpoint(url: "\(scheme)://\(authority)").url }
        let domain = try Endpoint(url: "\(scheme)://\(authority.dropFirst(2))")
        // All of a top-level domain is not one operator's.
        guard domain.host.contains(".") || domain.host == "localhost", SocketAddress(host: domain.host, port: 0) == nil
        else { throw ValueError("a domain needs two labels") }
        return "\(scheme)://*." + domain.url.dropFirst(scheme.count + 3)
    }

    private static func isScheme(_ text: Substring) -> Bool {
        PlainWord.isOne(text, with: "+-.", upTo: longestScheme) && text.first?.isLetter == true
    }
}
