import Foundation
import TestSupport
import Testing

@testable import AppleMusic

private func error(_ pem: SecretBytes) -> SigningKeyError? {
    thrown { () throws(SigningKeyError) in try SigningKey(pem: pem) }
}

/// The key of RFC 7515 appendix A.3, as PKCS#8.
let exampleKeyPEM = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgjpsQnnGQmL+YBIff
    H1136cspYG6+0iY7X1fCE9+E9LKhRANCAAR/zc4ncPbEXUGDy+5v20t7WAczNXvp
    7xO6z248e9FURcfxRM0bvZt+hyzf7bnuufSzaV1uqQskrYpGIyiFiOWt
    -----END PRIVATE KEY-----

    """

@Suite struct SigningKeyTests {
    @Test func aFreshKeyIsPKCS8AndCanBeLoaded() throws {
        let pem = try SigningKey.generatePEM()
        let text = pem.text
        #expect(text.hasPrefix("-----BEGIN PRIVATE KEY-----\n") && text.hasSuffix("-----END PRIVATE KEY-----\n"))
        #expect(SecretFile.keySizes.contains(pem.count))
        #expect(error(pem) == nil)
        #expect(try !pem.isEqual(to: SigningKey.generatePEM()))
    }

    @Test func anotherCurveAndAKeyOfAnotherKindAreRefused() throws {
        for curve in ["P-384", "P-521", "secp256k1"] {
            #expect(error(try SigningKey.generatePEM(curve: curve)) == .wrongCurve, "\(curve)")
        }
        let ed25519 = """
            -----BEGIN PRIVATE KEY-----
            MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC
            -----END PRIVATE KEY-----

            """
        #expect(error(SecretBytes(ed25519)) == .wrongAlgorithm)
    }

    @Test func anythingButAPrivateKeyIsRefused() throws {
        let pem = try SigningKey.generatePEM().text
        let publicKey = """
            -----BEGIN PUBLIC KEY-----
            MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEf83OJ3D2xF1Bg8vub9tLe1gHMzV7
            6e8Tus9uPHvRVEXH8UTNG72bfocs3+257rn0s2ldbqkLJK2KRiMohYjlrQ==
            -----END PUBLIC KEY-----

            """
        // Its label makes libcrypto want a passphrase.
        let encrypted = """
            -----BEGIN ENCRYPTED PRIVATE KEY-----
            MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAjxBwSgBgbvJwICCAAw
            DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEEPxwJfRCCsaf5tSQ4Ln3W8EgZDp
            -----END ENCRYPTED PRIVATE KEY-----

            """
        for text in [
            "", "canary", publicKey, encrypted, String(pem.prefix(100)), pem.replacingOccurrences(of: "M", with: "?"),
        ] {
            #expect(error(SecretBytes(text)) == .notPrivateKey)
        }
    }

    @Test func noErrorShowsAnythingOfTheKey() throws {
        let cut = String(try SigningKey.generatePEM().text.prefix(100))
        for key in [try SigningKey.generatePEM(curve: "P-384").text, cut, "a canary, not a key"] {
            let refusal = try #require(error(SecretBytes(key)))
            let texts = [refusal.description, String(reflecting: refusal)]
            #expect(!refusal.description.isEmpty)
            for line in key.split(separator: "\n") {
                #expect(!texts.contains { $0.contains(line.prefix(8)) }, "\(line)")
            }
        }
    }
}

@Suite struct ECDSASignatureTests {
    /// r and s of these lengths, in DER by hand: minimal, with a zero in front of a set top bit.
    private static func handmade(_ r: [UInt8], _ s: [UInt8]) -> [UInt8] {
        func integer(_ value: [UInt8]) -> [UInt8] {
            let padded = value[0] & 0x80 == 0 ? value : [0] + value
            return [2, UInt8(padded.count)] + padded
        }
        let content = integer(r) + integer(s)
        return [0x30, UInt8(content.count)] + content
    }

    @Test(arguments: [1, 2, 31, 32], [1, 30, 32])
    func shortNumbersGetTheirLeadingZerosAndLoseThemAgain(rCount: Int, sCount: Int) {
        for top in [0x01, 0x7F, 0x80, 0xFF] as [UInt8] {
            let r = [top] + [UInt8](repeating: 0x11, count: rCount - 1)
            let s = [top] + [UInt8](repeating: 0x22, count: sCount - 1)
            let raw = [UInt8](repeating: 0, count: 32 - rCount) + r + [UInt8](repeating: 0, count: 32 - sCount) + s
            let der = ECDSASignatureTests.handmade(r, s)
            #expect(ECDSASignature.raw(der: der) == raw)
            #expect(ECDSASignature.der(raw: raw) == der)
        }
    }

    @Test func anythingButASignatureIsRefused() {
        let good = ECDSASignatureTests.handmade([1], [2])
        for count in 0..<good.count { #expect(ECDSASignature.raw(der: Array(good[..<count])) == nil) }
        #expect(ECDSASignature.raw(der: good + [0]) == nil, "something behind it")
        let long = [UInt8](repeating: 0x11, count: 33)
        #expect(ECDSASignature.raw(der: ECDSASignatureTests.handmade(long, [1])) == nil)
        #expect(ECDSASignature.raw(der: ECDSASignatureTests.handmade([1], long)) == nil)
        #expect(ECDSASignature.der(raw: [UInt8](repeating: 1, count: 63)) == nil)
        #expect(ECDSASignature.der(raw: []) == nil)
    }

    /// libcrypto's own words did not say that it was the wrong half.
    @Test func aPrivateKeyInPlaceOfAPublicOneIsToldSo() {
        func refusal(_ text: String) -> String? {
            thrown { () throws(SigningKeyError) in try TokenVerifier(publicKeyPEM: Array(text.utf8)) }?.description
        }
        #expect(refusal(exampleKeyPEM)?.contains("openssl pkey -in KEY.p8 -pubout") == true)
        for text in ["", "rubbish", "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"] {
            #expect(refusal(text)?.hasPrefix("not a public key in PEM") == true)
        }
    }
}
