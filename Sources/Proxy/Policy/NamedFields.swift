import AppleMusic
import HTTP

/// The request fields that the operator lets through to the origin (`forward_fields`).
public struct NamedFields: Sendable, Equatable {
    /// In lower case, with hyphens for underscores.
    let names: [[UInt8]]
    /// Those of `names` that go along beside a user's token: not those that say who or where the
    /// user is.
    private let besideToken: [[UInt8]]

    public init(_ names: [String] = []) {
        self.names = names.map { GatewayFields.spelling(Array($0.utf8).span) }
        besideToken = self.names.filter { !Self.tellOfUser($0) }
    }

    /// Those that go along to a target.
    func names(for target: borrowing CanonicalTarget) -> [[UInt8]] {
        target.route.isPersonal ? besideToken : names
    }

    /// Whether a client's field of this name can go along: not a cookie, a credential, or a field
    /// that the proxy writes itself.
    public static func canGoAlong(_ name: String) -> Bool {
        let spelling = GatewayFields.spelling(Array(name.utf8).span)
        return !ForwardedFields.isOwn(FieldName.named(spelling.span, spelling.indices))
    }

    /// Whether a field says who or where a user is: what a gateway says of its client, or a name
    /// with a word for it.
    private static func tellOfUser(_ name: [UInt8]) -> Bool {
        if GatewayFields.contain(name.span) { return !GatewayFields.overrides(name) }
        let parts = name.split(separator: UInt8(ascii: "-"))
        return name != Array("user-agent".utf8)
            && parts.contains { part in
                part.starts(with: "ip".utf8) || part.reversed().starts(with: "pi".utf8)
                    || words.contains { $0.description.utf8.elementsEqual(part) }
            }
    }

    private static let words: [StaticString] = [
        "account", "addr", "address", "city", "country", "device", "email", "forwarded", "from", "geo", "identity",
        "latitude", "location", "longitude", "postal", "principal", "referer", "referrer", "region", "session",
        "subject", "timezone", "uid", "user", "userid", "username", "viewer", "visitor",
    ]
}
