import AppleMusic
import HTTP
import TestSupport
import Testing

@testable import Proxy

/// Requests that are joined ask the same: the key against the bytes that would be sent.
@Suite struct ForwardedQuestionTests {
    private struct Sent {
        let request: ForwardedRequest
        let target: [UInt8]
        let question: UInt64
        let head: String
    }

    /// Few values of each, so that many requests agree.
    private static let fields = [
        "Via": ["1.1 refrain-000000000000000b", "1.1 refrain-000000000000000c", "1.1 other", "2 other, 1.1 x"],
        "Authorization": ["Bearer one", "Bearer two", bound], "Origin": ["https://a.example", "https://b.example"],
        "Music-User-Token": ["anna", "bert"], "Accept": ["text/html", "*/*"], "Accept-Language": ["de", "en"],
        "Accept-Encoding": ["gzip", "br"], "Cache-Control": ["max-age=9", "max-stale"], "Range": ["bytes=0-1"],
        "If-None-Match": ["\"a\"", "\"b\""], "X-App": ["1", "2"], "User-Agent": ["app"],
        "Forwarded": ["for=1.2.3.4"], "X-Forwarded-For": ["1.2.3.4"], "Cookie": ["a=b; media-user-token=anna"],
        "traceparent": ["00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"], "Connection": ["X-App", "Accept"],
    ]

    /// `{"origin":["https://a.example"]}`
    private static let bound =
        "Bearer eyJhbGciOiJFUzI1NiJ9.eyJvcmlnaW4iOlsiaHR0cHM6Ly9hLmV4YW1wbGUiXX0.c2ln"

    private static let targets = [
        "/v1/catalog/us/songs/1", "/v1/catalog/us/songs/1?l=de", "/v1/catalog/us/songs/1/?l=%64e", "/shop", "/shop?b&a",
        "/v1/me/library/songs", "/v1/test",
    ]

    private static func request(
        _ random: inout SeededGenerator, _ subset: ForwardedFields.Subset, signs: Bool, permitted: [String]
    ) throws -> Sent {
        let chosen = fields.sorted { $0.key < $1.key }.filter { _ in Int.random(in: 0..<8, using: &random) == 0 }
        let lines = chosen.map { "\($0.key): \($0.value.randomElement(using: &random)!)\r\n" }.shuffled(using: &random)
        let method = Int.random(in: 0..<6, using: &random) == 0 ? "HEAD" : "GET"
        let line = "\(method) \(targets.randomElement(using: &random)!) HTTP/1.1\r\nHost: p\r\n"
        let client = try ParsedRequest(line + lines.joined() + "\r\n")
        let canonical = try CanonicalTarget(client[client.head.target])
        let request = ForwardedRequest(
            head: client.head, bytes: client.bytes.span, canonical: canonical, body: [], subset: subset,
            refreshes: Int.random(in: 0..<4, using: &random) == 0,
            dropsAuthorization: Int.random(in: 0..<8, using: &random) == 0,
            user: NamedUser(of: client.head, client.bytes.span), permitted: NamedFields(permitted))
        return Sent(
            request: request, target: canonical.bytes, question: request.question(signs: signs),
            head: head(request, signs: signs))
    }

    /// The bytes that would be sent, without the leader's trace.
    private static func head(_ request: ForwardedRequest, signs: Bool) -> String {
        let token = SecretBytes(Array("own".utf8).span)
        let bytes = request.head(
            .init(
                authority: Array("origin".utf8), developerToken: signs ? token : nil, userToken: token,
                origin: Array("https://own.example".utf8), acceptsGzip: request.welcomesGzip || request.passesGzip,
                name: ViaChain.Name(10)))
        return String(decoding: bytes, as: UTF8.self).split(separator: "\r\n", omittingEmptySubsequences: false)
            .filter { !$0.hasPrefix("trace") }.joined(separator: "\r\n")
    }

    /// `Via` differed between requests that were joined, and beside it all that goes along in
    /// classes under the origin's rules.
    @Test(arguments: 0..<TestSize.of(12, release: 60) as Range<UInt64>) func joinedRequestsAskTheSame(seed: UInt64)
        throws
    {
        var random = SeededGenerator(seed: seed)
        let subset: ForwardedFields.Subset = [.none, .impersonal, .all][Int(seed % 3)]
        let (signs, permitted) = (seed % 2 == 0, seed % 5 == 0 ? ["X-App", "Forwarded", "Accept-Language"] : [])
        let all = try (0..<200).map { _ in
            try Self.request(&random, subset, signs: signs, permitted: permitted)
        }
        var joined = 0
        for (index, one) in all.enumerated() {
            for other in all[..<index] where one.target == other.target {
                #expect(
                    (one.question == other.question) == (one.head == other.head),
                    "seed \(seed)\n\(one.head)\(other.head)")
                joined += one.question == other.question ? 1 : 0
            }
        }
        #expect(joined > 0, "seed \(seed)")
    }

    /// Their list is each one's own request but for the target.
    @Test(arguments: 0..<TestSize.of(6, release: 30) as Range<UInt64>) func listedRequestsAskTheSame(seed: UInt64)
        throws
    {
        var random = SeededGenerator(seed: seed)
        let list = try CanonicalTarget("/v1/catalog/us/songs?ids=1,2")
        let signs = seed % 2 == 0
        let all = try (0..<200).map { _ in try Self.request(&random, .none, signs: signs, permitted: []) }
            .filter { $0.request.method == .get && !$0.request.isPersonal }
        func listed(_ one: Sent) -> String {
            Self.head(
                ForwardedRequest(
                    for: list, authorization: one.request.clientAuthorization, via: one.request.via), signs: signs)
        }
        for (index, one) in all.enumerated() {
            for other in all[..<index]
            where one.request.questionOfAnyName(signs: signs) == other.request.questionOfAnyName(signs: signs) {
                let lines = listed(one).split(separator: "\r\n")
                #expect(lines == listed(other).split(separator: "\r\n"), "seed \(seed)")
                #expect(lines.dropFirst() == one.head.split(separator: "\r\n").dropFirst(), "seed \(seed)")
            }
        }
    }

    /// Such a question takes no hashing, and costs a miss nothing.
    @Test func aRequestWithNothingOfItsClientHasOneQuestion() throws {
        let client = try ParsedRequest(fields: "Accept: text/html", "User-Agent: app", "Authorization: Bearer one")
        let target = try CanonicalTarget("/v1/catalog/us/songs/1")
        func question(_ subset: ForwardedFields.Subset, signs: Bool) -> UInt64 {
            ForwardedRequest(
                head: client.head, bytes: client.bytes.span, canonical: target, body: [], subset: subset
            ).question(signs: signs)
        }
        #expect(question(.none, signs: true) == 0)
        #expect(question(.none, signs: false) != 0 && question(.impersonal, signs: true) != 0)
        #expect(ForwardedRequest(for: target, authorization: nil).question(signs: false) == 0)
    }
}
