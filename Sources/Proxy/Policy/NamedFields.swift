import AppleMusic
import HTTP

/// The request fields that the operator lets through to the origin (`forward_fields`).
public struct NamedFields: Sendable, Equatable {
    /// In lower case, with hyphens for underscores.
    let names: [[UInt8]]
    /// The `names` that go along with a user's token: none that identifies or locates the user.
    private let besideToken: [[UInt8]]

    public init(_ names: [String] = []) {
        self.names = names.map { GatewayFields.spelling(Array($0.utf8).span) }
        besideToken = self.names.filter { !Self.tellOfUser($0) }
    }

    /// The names of fields that go along to a target.
    func names(for target: borrowing CanonicalTarget) -> [[UInt8]] {
        target.route.isPersonal ? besideToken : names
    }

    /// Whether a client's field of this name can go along: not a cookie, a credential, or a field
    /// that the proxy writes itself.
    public static func canGoAlong(_ name: String) -> Bool {
        let spelling = GatewayFields.spelling(Array(name.utf8).span)
        return !ForwardedFields.isOwn(FieldName.named(spelling.span, spelling.indices))
    }

    /// Whether a field identifies or locates a user: a gateway's about its client, or one with such
    /// a word in its name, alone or at the beginning of a part (`X-CustomerId`).
    private static func tellOfUser(_ name: [UInt8]) -> Bool {
        if GatewayFields.contain(name.span) { return !GatewayFields.overrides(name.span) }
        let parts = name.split(separator: UInt8(ascii: "-"))
        return name != Array("user-agent".utf8)
            && parts.contains { part in
                part.starts(with: "ip".utf8) || part.reversed().starts(with: "pi".utf8)
                    || words.contains { $0.description.utf8.elementsEqual(part) }
                    || beginnings.contains { part.starts(with: $0.description.utf8) }
            }
    }

    /// Short ones begin other words, too: `lat` that of `latency`.
    private static let words: [StaticString] = [
        "addr", "city", "from", "geo", "gps", "imei", "imsi", "lat", "lng", "lon", "mail", "tel", "uid", "user", "zip",
    ]

    private static let beginnings: [StaticString] = [
        "account", "address", "birth", "contact", "coord", "country", "customer", "device", "email", "employee",
        "firstname", "forwarded", "fullname", "gender", "geoip", "geoloc", "guest", "identity", "lastname", "latitude",
        "latlng", "latlon", "location", "login", "longitude", "member", "msisdn", "nickname", "passport", "person",
        "phone", "postal", "postcode", "principal", "profile", "referer", "referrer", "region", "session", "subject",
        "subscriber", "telephone", "tenant", "timezone", "useremail", "userid", "username", "viewer", "visitor",
        "zipcode",
    ]
}
