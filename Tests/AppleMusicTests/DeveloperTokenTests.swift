import Foundation
import TestSupport
import Testing
import Text

@testable import AppleMusic

private let now: Int64 = 1_800_000_000

private func makeSigner(lifetime: Int = 43_200) throws -> DeveloperTokenSigner {
    try DeveloperTokenSigner(
        key: SigningKey(pem: SigningKey.generatePEM()), keyID: "ABC123DEFG", teamID: "TEAM123456", lifetime: lifetime)
}

extension TokenVerifier {
    fileprivate func accepts(_ token: SecretBytes, origin: String? = nil) -> Bool {
        token.withBytes { accepts($0, at: now, origin: origin) }
    }
}

@Suite struct DeveloperTokenSignerTests {
    @Test func aTokenHasTheHeaderAndClaimsAppleAsksFor() throws {
        let signer = try makeSigner()
        let parts = try signer.token(at: now).text.split(separator: ".", omittingEmptySubsequences: false)
        try #require(parts.count == 3)
        #expect(parts[2].utf8.count == 86, "64 bytes")
        let decoded = try parts[..<2].map { part in
            let bytes = Base64.url.decode(Array(part.utf8).span)
            return try JSON.parse(#require(bytes))
        }
        #expect(decoded[0] == ["alg": "ES256", "kid": "ABC123DEFG"])
        #expect(decoded[1] == ["iss": "TEAM123456", "iat": 1_799_999_940, "exp": 1_800_043_140])
    }

    @Test func settingsAreChecked() throws {
        let key = try SigningKey(pem: SigningKey.generatePEM())
        func error(_ keyID: String, _ teamID: String, _ lifetime: Int) -> SignerError? {
            thrown { () throws(SignerError) in
                try DeveloperTokenSigner(key: key, keyID: keyID, teamID: teamID, lifetime: lifetime)
            }
        }
        #expect(error("K", "T", 120) == nil)
        #expect(error("K", "T", 15_777_000) == nil)
        #expect(error("K", "T", 119) == .lifetime)
        #expect(error("K", "T", 15_777_001) == .lifetime)
        for id in ["", "a b", "a\"", "é", String(repeating: "a", count: 33)] {
            #expect(error(id, "T", 120) == .malformedKeyID)
            #expect(error("K", id, 120) == .malformedTeamID)
        }
    }
}

@Suite struct TokenVerifierTests {
    private let signer: DeveloperTokenSigner
    private let verifier: TokenVerifier
    private let header: JSON = ["alg": "ES256", "kid": "ABC123DEFG"]
    private let claims: JSON = ["iss": "TEAM123456", "iat": .integer(Int(now)), "exp": .integer(Int(now) + 3600)]

    init() throws {
        signer = try makeSigner()
        verifier = try TokenVerifier(publicKeyOf: signer.key)
    }

    private func accepts(header: JSON? = nil, claims: JSON? = nil, origin: String? = nil) throws -> Bool {
        verifier.accepts(try signer.sign(header: header ?? self.header, claims: claims ?? self.claims), origin: origin)
    }

    private func changed(_ value: JSON, _ key: String, _ new: JSON?) -> JSON {
        var value = value
        value[member: key] = new
        return value
    }

    @Test func eachRuleRefusesOnItsOwn() throws {
        #expect(try accepts() && verifier.accepts(signer.token(at: now)))
        for algorithm in ["none", "HS256", "RS256", "es256", ""] as [JSON] {
            #expect(try !accepts(header: changed(header, "alg", algorithm)))
        }
        #expect(try !accepts(header: changed(header, "kid", nil)))
        #expect(try !accepts(header: changed(header, "kid", "")))
        #expect(try !accepts(claims: changed(claims, "iss", nil)))
        #expect(try !accepts(claims: changed(claims, "iss", 5)))
        #expect(try !accepts(claims: changed(claims, "iat", nil)))
        #expect(try !accepts(claims: changed(claims, "iat", .integer(Int(now) + 1))))
        #expect(try !accepts(claims: changed(claims, "exp", nil)))
        #expect(try !accepts(claims: changed(claims, "exp", .integer(Int(now)))))
        #expect(try accepts(claims: changed(claims, "exp", .integer(Int(now) + 1))))
        #expect(try accepts(claims: changed(claims, "exp", .integer(Int(now) + 15_777_000))))
        #expect(try !accepts(claims: changed(claims, "exp", .integer(Int(now) + 15_777_001))))
        #expect(try !accepts(claims: changed(claims, "exp", .integer(.max))))
        #expect(try !accepts(claims: changed(claims, "exp", "1800003600")))
        let limited = changed(claims, "origin", ["https://a.example", "https://b.example"])
        #expect(try !accepts(claims: limited))
        #expect(try !accepts(claims: limited, origin: "https://c.example"))
        #expect(try accepts(claims: limited, origin: "https://b.example"))
        #expect(try accepts(origin: "https://any.example"))
    }

    @Test func anotherSignatureAndEveryChangedByteAreRefused() throws {
        #expect(try !verifier.accepts(makeSigner().token(at: now)))
        let token = try signer.token(at: now).withUnsafeBytes { Array($0) }
        for index in token.indices {
            var damaged = token
            damaged[index] = damaged[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            #expect(!verifier.accepts(SecretBytes(damaged.span)), "byte \(index)")
        }
        let text = try signer.token(at: now).text
        let signed = text[..<text.lastIndex(of: ".")!]
        for signature in ["", "AA", String(repeating: "A", count: 86), String(repeating: "A", count: 85) + "E"] {
            #expect(!verifier.accepts(SecretBytes("\(signed).\(signature)")))
        }
    }

    @Test(arguments: ["", ".", "..", "a.b.c", "e30.e30", "e30.e30.AA.AA", "W10.e30.AA", "e30=.e30.AA"])
    func anythingButATokenIsRefused(text: String) { #expect(!verifier.accepts(SecretBytes(text))) }

    @Test func theExampleOfRFC7515A3IsSignedByItsKey() throws {
        let key = try SigningKey(pem: SecretBytes(exampleKeyPEM))
        let token = SecretBytes(
            "eyJhbGciOiJFUzI1NiJ9"
                + ".eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
                + ".DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q")
        let verifier = try TokenVerifier(publicKeyOf: key)
        let claims = try TokenClaims(token: token)
        #expect(claims.issuer == "joe" && claims.expires == 1_300_819_380 && claims.keyID == nil)
        let parts = try token.withBytes { bytes throws(MalformedToken) in try TokenParts(bytes) }
        #expect(token.withBytes { verifier.isSigned($0.extracting(0..<parts.signedCount), by: parts.signature) })
        #expect(!verifier.accepts(token), "Apple's rules refuse it for its missing kid")
    }
}

@Suite struct TokenClaimsTests {
    @Test func claimsAreReadFromAToken() throws {
        let signer = try makeSigner()
        let claims = try TokenClaims(token: signer.token(at: now))
        #expect(claims.algorithm == "ES256" && claims.keyID == "ABC123DEFG" && claims.issuer == "TEAM123456")
        #expect(claims.issuedAt == now - 60 && claims.expires == now - 60 + 43_200)
        #expect(claims.origins == [])
        let limited = try signer.sign(header: [:], claims: ["origin": ["https://a.example"], "exp": .number("1.5")])
        #expect(try TokenClaims(token: limited).origins == ["https://a.example"])
        #expect(try TokenClaims(token: limited).expires == nil)
        #expect(try TokenClaims(token: limited).algorithm == nil)
        let error = #expect(throws: MalformedToken.self) {
            try TokenClaims(token: SecretBytes("canary"))
        }
        #expect(error.map { !"\($0)".contains("canary") } == true)
    }

    /// The web player's tokens need the site as well, and it stayed here.
    @Test func aTokenThatNamesSitesInEitherWayMayBeBound() throws {
        let signer = try makeSigner()
        for (claims, isBound) in [
            (["origin": ["https://a.example"]], true), (["root_https_origin": ["apple.com"]], true), ([:], false),
        ] as [(JSON, Bool)] {
            let token = try signer.sign(header: [:], claims: claims)
            let value = token.withBytes { bytes in Array("Bearer ".utf8) + bytes.indices.map { bytes[$0] } }
            #expect(TokenClaims.mayBeBound(authorization: value.span) == isBound)
        }
    }
}

@Suite struct DeveloperTokensTests {
    @Test func aSignedTokenIsKeptFor80PercentOfItsLife() throws {
        let tokens = try DeveloperTokens(signer: makeSigner(lifetime: 1000), at: now)
        let first = tokens.current(at: now)
        #expect(tokens.current(at: now + 739) === first)
        let second = tokens.current(at: now + 740)
        #expect(second !== first)
        #expect(try TokenClaims(token: second).expires == now + 740 - 60 + 1000)
        #expect(tokens.current(at: now + 741) === second)
        let later = try DeveloperTokens(signer: makeSigner(), at: now)
        let began = later.current(at: now - 60)
        #expect(try TokenClaims(token: began).issuedAt == now - 60)
        let earlier = later.current(at: now - 61)
        #expect(earlier !== began)
        #expect(try TokenClaims(token: earlier).issuedAt == now - 121)
    }

    @Test func theLogNamesTheKeyOfATokenAndNoTextThatAReadyOneMayHave() throws {
        let signed = try DeveloperTokens(signer: makeSigner(), at: now)
        #expect(DeveloperTokens.identity(of: signed.current(at: now)) == "key id ABC123DEFG, team id TEAM123456")
        func identity(_ header: JSON, _ claims: JSON) throws -> String? {
            let token = try makeSigner().sign(header: header, claims: claims)
            return DeveloperTokens.identity(of: token)
        }
        #expect(try identity(["kid": "ABC"], ["iss": "a\nb"]) == "key id ABC")
        #expect(try identity([:], [:]) == nil)
        #expect(DeveloperTokens.identity(of: SecretBytes(Array("no-jwt".utf8).span)) == nil)
    }

    @Test func aRejectionRenewsAtMostOnceAMinute() throws {
        let tokens = try DeveloperTokens(signer: makeSigner(), at: now)
        let first = tokens.current(at: now)
        #expect(tokens.renewAfterRejection(of: first, at: now))
        let second = tokens.current(at: now)
        #expect(second !== first)
        #expect(tokens.renewAfterRejection(of: first, at: now + 1), "replaced by another request already")
        #expect(tokens.current(at: now + 1) === second)
        #expect(!tokens.renewAfterRejection(of: second, at: now + 59))
        #expect(tokens.renewAfterRejection(of: second, at: now + 60))
        let third = tokens.current(at: now + 60)
        #expect(tokens.renewAfterRejection(of: third, at: now - 3600), "the clock was set back")
    }

    @Test func aFileIsReadAgainOnRejectionAlone() throws {
        let directory = try TemporaryFolder()
        let path = try directory.write("first\n")
        let tokens = try DeveloperTokens(tokenFile: path)
        let first = tokens.current(at: now)
        #expect(first.text == "first")
        #expect(!tokens.renewAfterRejection(of: first, at: now))
        _ = try directory.write("second")
        #expect(tokens.current(at: now + 1_000_000) === first)
        #expect(!tokens.renewAfterRejection(of: first, at: now + 30))
        #expect(tokens.renewAfterRejection(of: first, at: now + 60))
        #expect(tokens.current(at: now + 60).text == "second")
        let second = tokens.current(at: now + 60)
        _ = try directory.write("canary", mode: 0o644)
        #expect(!tokens.renewAfterRejection(of: second, at: now + 120), "others may read the file")
        #expect(tokens.current(at: now + 120) === second)
        let other = try TemporaryFolder()
        let refused = try other.write("token", mode: 0o644)
        #expect(throws: SecretFileError(path: refused, reason: .notPrivate(.accessibleByOthers(mode: 0o644)))) {
            try DeveloperTokens(tokenFile: refused)
        }
    }

    @Test func manyThreadsShareOneRenewal() async throws {
        let tokens = try DeveloperTokens(signer: makeSigner(), at: now)
        let first = tokens.current(at: now)
        let seen = await withTaskGroup(of: ObjectIdentifier.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    _ = tokens.renewAfterRejection(of: first, at: now)
                    return ObjectIdentifier(tokens.current(at: now))
                }
            }
            return await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(seen.count == 1 && !seen.contains(ObjectIdentifier(first)))
    }
}
