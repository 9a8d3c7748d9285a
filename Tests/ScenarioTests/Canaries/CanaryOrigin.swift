import Foundation

/// A person whom the proxy serves, with that person's secrets and values.
struct CanaryPerson: Sendable {
    let name: String
    /// Nil: the person is not logged in, or sends no key.
    var key: Canary?
    var token: Canary?
    /// The content that the origin shows to the holder of the token alone.
    let library: Canary
    /// The words that the person writes.
    let writing: Canary
    let cookie: Canary
    let bearer: Canary
    let referrer: Canary

    /// - Parameter isOriginsBearer: whether the bearer token that the person sends is meant for the
    ///   origin.
    init(_ name: String, hasKey: Bool, hasToken: Bool, isOriginsBearer: Bool) {
        self.name = name
        let own = ["client \(name)", "origin personal body", "origin personal target", "origin personal if-none-match"]
        if hasKey { key = Canary("\(name)'s key") }
        if hasToken {
            let homes = ["music-user-token", "media-user-token", "cookie"].map { "origin personal \($0)" }
            token = Canary("\(name)'s token", home: homes)
        }
        library = Canary("\(name)'s library", home: own)
        writing = Canary("\(name)'s words", home: own)
        cookie = Canary("\(name)'s cookie")
        // Outside of the API a proxy passes it on.
        referrer = Canary("\(name)'s referrer", home: ["origin other referer"])
        bearer = Canary(
            "\(name)'s bearer",
            home: isOriginsBearer ? ["shared", "personal", "other"].map { "origin \($0) authorization" } : [])
    }

    var canaries: [Canary] { [library, writing, cookie, bearer, referrer] + [key, token].compactMap { $0 } }

    /// The fields of all requests of the person.
    var fields: [(String, String)] {
        // One names the user as apps do and by a cookie, the other as web players do.
        let player = name == "anna" ? token.map { "media-user-token=\($0.text); " } : nil
        var fields = [
            ("Cookie", "theme=dark; \(player ?? "")web=\(cookie.text)"),
            ("Referer", "https://app.example.com/\(referrer.text)"),
            ("Authorization", "Bearer \(bearer.text)"), ("Accept-Encoding", "gzip"),
        ]
        if let key { fields.append(("X-Refrain-Key", key.text)) }
        if let token { fields.append((name == "anna" ? "Music-User-Token" : "media-user-token", token.text)) }
        return fields
    }
}

/// An origin with one catalog for all clients, and a library for the holder of each token, with
/// that person's canary in body, entity tag and cookie; `fault=` in a target asks for trouble.
struct CanaryOrigin {
    /// A name that all clients may see: it must be found, or the search proves nothing.
    let catalog = Canary("the catalog")
    private let origin: FakeOrigin

    var port: Int { origin.port }
    func stop() { origin.stop() }

    /// - Parameter libraries: what each token opens.
    init(libraries: [(token: Canary, library: Canary)]) throws {
        let known = Dictionary(uniqueKeysWithValues: libraries.map { ($0.token.text, $0.library.text) })
        let catalog = catalog
        origin = try FakeOrigin { request in
            if let fault = Self.fault(request) { return fault }
            guard let library = request.field("Music-User-Token").flatMap({ known[$0] }) else {
                return Self.isPersonal(request.target)
                    ? FakeOrigin.Reply(status: 403, body: "{\"errors\":[]}")
                    : Self.reply(catalog.text, request, ["Cache-Control": "max-age=60"])
            }
            if request.method == "DELETE" { return FakeOrigin.Reply(status: 204, body: "") }
            let echo = String(decoding: request.body, as: UTF8.self).filter { $0.isLetter || $0.isNumber }
            return Self.reply(library + "\",\"echo\":\"" + echo, request, ["Set-Cookie": "user=\(library)"])
        }
    }

    private static func reply(
        _ text: String, _ request: FakeOrigin.Request, _ fields: [String: String]
    ) -> FakeOrigin.Reply {
        let tag = "\"\(text.prefix(38))\""
        if request.field("If-None-Match") == tag { return FakeOrigin.Reply(status: 304, fields: [("ETag", tag)]) }
        let number = request.target.split(separator: "?")[0].split(separator: "/").last ?? ""
        let filler = String(repeating: "la ", count: 600)
        var reply = FakeOrigin.Reply(
            body: """
                {"data":[{"id":"\(number)","type":"songs","href":"/v1/catalog/us/songs/\(number)",\
                "attributes":{"name":"\(text)","notes":"\(filler)"}}]}
                """)
        reply.fields += [("ETag", tag)] + fields.map { ($0.key, $0.value) }
        return reply
    }

    private static func fault(_ request: FakeOrigin.Request) -> FakeOrigin.Reply? {
        guard let words = request.target.split(separator: "?").last?.split(separator: "&"),
            let word = words.first(where: { $0.hasPrefix("fault=") })?.dropFirst(6)
        else { return nil }
        var reply = FakeOrigin.Reply(body: "{\"errors\":[]}")
        if let status = Int(word) { reply.status = status } else { reply.hangsUp = true }
        return reply
    }

    static func isPersonal(_ target: String) -> Bool { target.contains("/me") || target.contains("library") }

    /// Everything that it was sent: each field under its name, and for which kind of request.
    var evidence: Evidence {
        var evidence = Evidence()
        for request in origin.requests {
            let isShared = request.target.hasPrefix("/v1/") && ["GET", "HEAD"].contains(request.method)
            let kind = Self.isPersonal(request.target) ? "personal" : isShared ? "shared" : "other"
            evidence.add("origin \(kind) target", request.target)
            evidence.add("origin \(kind) body", Data(request.body))
            for field in request.fields { evidence.add("origin \(kind) \(field.name)", field.value) }
        }
        return evidence
    }
}
