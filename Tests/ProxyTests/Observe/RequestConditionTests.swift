import Freshness
import Testing

@testable import Proxy

/// The conditions of `refrain tail` and of `access_log`, about requests of each kind.
@Suite struct RequestConditionTests {
    private struct Asked {
        var request: LoggedRequest
        var milliseconds: Int64 = 20
        var client: String?
        var target = "/v1/catalog/us/albums/1?include=artists"
        var agent = ""
    }

    private static func answered(_ status: Int, _ cacheStatus: CacheStatus?) -> LoggedRequest {
        .answered(AnsweredRequest(status: status, contentLength: 5, cacheStatus: cacheStatus, key: nil, template: nil))
    }

    private static let miss = CacheStatus.forwarded(
        .init(reason: .absent, status: 503, storing: .no(.serverError), isCollapsed: false))

    private func holds(_ name: String, _ text: String, _ asked: Asked, isNegated: Bool = false) throws -> Bool {
        let fact = try #require(RequestCondition.facts.first { $0.name == name })
        return try fact.condition(text, isNegated: isNegated).holds(
            for: asked.request, nanoseconds: asked.milliseconds * 1_000_000, client: asked.client,
            target: { Array(asked.target.utf8) }, agent: { Array(asked.agent.utf8) })
    }

    @Test(arguments: [
        ("503", true), ("5xx", true), (">=400", true), (">502", true), ("<=503", true), ("404", false),
        ("4xx", false), ("<503", false), (">503", false),
    ])
    func statusesAreSingleOnesClassesAndBounds(text: String, isMet: Bool) throws {
        let asked = Asked(request: Self.answered(503, Self.miss))
        #expect(try holds("status", text, asked) == isMet)
        #expect(try holds("status", text, asked, isNegated: true) != isMet)
    }

    @Test(arguments: [("10ms", true), (">10ms", true), ("20ms", false), (">=20ms", true), ("<1s", true), ("1s", false)])
    func slowIsLongerThanThat(text: String, isMet: Bool) throws {
        #expect(try holds("slow", text, Asked(request: Self.answered(200, Self.miss))) == isMet)
    }

    @Test func wordsAreThoseOfTheLog() throws {
        let miss = Asked(request: Self.answered(503, Self.miss))
        #expect(try holds("outcome", "miss", miss) && !holds("outcome", "hit", miss))
        #expect(try holds("reason", "absent", miss) && holds("reason", "server-error", miss))
        #expect(try !holds("reason", "stale", miss))
        let hit = Asked(request: Self.answered(200, .hit(ttl: 5, detail: nil)))
        #expect(try holds("outcome", "hit", hit) && holds("reason", "hit", hit))
        let preflight = Asked(request: .preflight(path: [], refusal: "origin-not-allowed"))
        #expect(try holds("status", "204", preflight) && holds("reason", "preflight", preflight))
        #expect(try holds("reason", "origin-not-allowed", preflight))
        for outcome in Outcome.allCases { #expect(try !holds("outcome", outcome.name, preflight)) }
    }

    @Test func clientsTargetsAndAgentsAreCompared() throws {
        var asked = Asked(request: Self.answered(200, Self.miss), agent: "MyApp/2 CFNetwork")
        #expect(try !holds("client", "web", asked))
        asked.client = "web"
        #expect(try holds("client", "web", asked) && !holds("client", "we", asked))
        #expect(try holds("target", "/v1/catalog/us/albums/1", asked), "the query is left aside")
        #expect(try holds("target", "/v1/*/albums/*", asked) && !holds("target", "/v1/*/songs/*", asked))
        #expect(try holds("target", "*?include=*", asked) && !holds("target", "*?views=*", asked))
        #expect(try !holds("target", "/v1/catalog/us/albums", asked), "all of the path")
        #expect(try holds("user-agent", "myapp", asked) && holds("user-agent", "CFNet", asked))
        #expect(try !holds("user-agent", "curl", asked) && holds("user-agent", "curl", asked, isNegated: true))
    }

    @Test(arguments: [
        ("status", "600"), ("status", "6xx"), ("status", "=503"), ("status", "50"), ("status", ">599"), ("status", ""),
        ("status", ">>400"), ("slow", "fast"), ("slow", "0ms"), ("slow", "2d"), ("slow", "5"), ("outcome", "hits"),
        ("reason", "Absent!"), ("reason", ""), ("target", ""), ("target", "a b"), ("client", ""), ("user-agent", ""),
        // They were taken, and never held.
        ("reason", "nosuch"), ("target", "v1/a"),
    ])
    func whatIsNoConditionIsRefusedInWords(name: String, text: String) throws {
        let fact = try #require(RequestCondition.facts.first { $0.name == name })
        do throws(RequestCondition.Mistake) {
            _ = try fact.condition(text)
            Issue.record("\(name) \(text) was taken")
        } catch {
            #expect(error.words.hasPrefix("expected "))
        }
    }
}
