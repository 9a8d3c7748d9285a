import Foundation
import TestSupport
import Testing

@testable import AppleMusic
@testable import refrain

@Suite struct TokenCommandTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func file(_ name: String, _ text: String) throws -> String { try folder.put(text, name, mode: 0o600) }

    private func base64URL(_ text: String) -> String {
        Data(text.utf8).base64EncodedString().replacingOccurrences(of: "=", with: "")
            .replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
    }

    /// Runs `token` with a token file of those claims.
    private func run(claims: String, _ words: [String] = []) throws -> (result: RunResult, token: String) {
        let token = base64URL(#"{"alg":"ES256","kid":"KEY1234567"}"#) + "." + base64URL(claims) + ".c2lnbmF0dXJl"
        let path = try file("token", token + "\n")
        return (try run("developer_token_file '\(path)'", words), token)
    }

    /// Runs `token` with that configuration.
    private func run(_ lines: String, _ words: [String] = []) throws -> RunResult {
        refrainTests.run(["token", "--config", try file("proxy.conf", lines)] + words, files: .system)
    }

    @Test func showsTheClaimsAndTheTokenOnlyWhenAsked() throws {
        let (result, token) = try run(claims: #"{"iss":"TEAM123456","iat":1700000000,"exp":4102444800}"#)
        #expect(result.status == 0 && result.error.isEmpty)
        #expect(result.standard.contains("team       TEAM123456\n"))
        #expect(result.standard.contains("issued     Tue, 14 Nov 2023 22:13:20 GMT\n"))
        #expect(result.standard.contains("expires    Fri, 01 Jan 2100 00:00:00 GMT\n"))
        #expect(token.split(separator: ".").allSatisfy { !result.standard.contains($0) })
        let expired = try run(claims: #"{"exp":1700000000}"#).result
        #expect(expired.status == 1 && expired.standard.contains("remaining  expired\n"))
        let revealed = try run(claims: "{}", ["--reveal"])
        #expect(revealed.result.status == 0 && revealed.result.standard == revealed.token + "\n")
    }

    @Test func wrongFilesAreNamed() throws {
        let path = try file("token", "no-token\n")
        let token = try run("developer_token_file '\(path)'")
        #expect(token.status == 1)
        #expect(token.error == "refrain: \(path): the developer token is not a JSON Web Token\n")
        let none = refrainTests.run("token", files: MemoryFiles(texts: ["proxy.conf": ""]))
        #expect(none.status == 1)
        #expect(none.error == "refrain: proxy.conf names neither developer_token_file nor developer_key_file\n")
        let key = try file("key.p8", String(repeating: "not a key ", count: 20))
        let result = try run("developer_key_file '\(key)'\ndeveloper_key_id A\ndeveloper_team_id B")
        #expect(result.status == 78 && result.error.contains("proxy.conf:1: developer_key_file: "))
        #expect(!result.error.contains("not a key not"))
    }

    /// Apple's refusal was the first sign.
    @Test(arguments: [
        (#"{"iat":1,"exp":1700000000}"#, "expired 1"), (#"{"iat":4102444800,"exp":4202444800}"#, "is not valid before"),
        (#"{"iat":1}"#, "has no expiry"), (#"{"iat":1,"exp":4102444800}"#, ""),
        (#"{"iat":1790000000,"exp":1800100000}"#, "expires in 1d 3h"),
        (#"{"iat":1799990000,"exp":1800033200}"#, "expires in 9h"),
        (#"{"iat":1799935200,"exp":1800108000}"#, ""),
    ])
    func checkWarnsOfATokenThatTheOriginWillRefuse(claims: String, words: String) throws {
        let (_, token) = try run(claims: claims)
        let path = try file("token", token + "\n")
        var configuration = try read("developer_token_file '\(path)'").configuration
        let warnings = configuration.warnings(at: 1_800_000_000).filter { $0.hasPrefix("developer_token_file: ") }
        #expect(words.isEmpty ? warnings.isEmpty : warnings.contains { $0.contains(words) }, "\(warnings)")
        configuration.developerTokenFile = try file("other", "no-token\n")
        #expect(
            configuration.warnings(at: 0).contains {
                $0 == "developer_token_file: not a JSON Web Token; the origin will refuse it"
            })
    }

    @Test func remainingTimeIsShownInTwoUnits() throws {
        let text = base64URL("{}") + "." + base64URL(#"{"exp":100000}"#) + "."
        let claims = try TokenClaims(Array(text.utf8).span)
        #expect(claims.table(at: 0).contains("remaining  1d 3h\n"))
        #expect(claims.table(at: 99_941).contains("remaining  59s\n"))
        #expect(claims.isExpired(at: 100_000) && !claims.isExpired(at: 99_999))
    }

    @Test func signsWithTheConfiguredKey() throws {
        let pem = try SigningKey.generatePEM().withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        let key = try file("key.p8", pem)
        let result = try run(
            "developer_key_file '\(key)'\ndeveloper_key_id KEY1\ndeveloper_team_id TEAM1\ndeveloper_token_lifetime 2h")
        #expect(result.status == 0 && result.error.isEmpty)
        let words = result.standard.split { $0.isWhitespace }
        #expect(words.starts(with: ["algorithm", "ES256", "key", "KEY1", "team", "TEAM1"]))
        #expect(result.standard.contains("remaining  1h 5"), "two hours from a minute ago")
    }
}
