import HTTP
import Testing

@testable import Admin
@testable import AppleMusic

/// The order and the reasons of refusals, without a socket.
@Suite struct AdminAuthorizerTests {
    private let purge = AdminEndpoint.table.first { $0.path == "/purge" }
    private let stats = AdminEndpoint.table.first { $0.path == "/stats" }

    private func status(
        _ request: AdminRequest, _ endpoint: AdminEndpoint?, token: String? = nil,
        _ entry: AdminAuthorizer.Entry = .admitted, isOwner: Bool = true
    ) -> Int? {
        let authorizer = AdminAuthorizer(AdminAccess(token: token.map { SecretBytes(Array($0.utf8).span) }))
        return authorizer.refusal(of: request, to: endpoint, entry, isOwner: { isOwner })?.status
    }

    private func request(
        _ method: HTTP.Method = .get, host: String = "127.0.0.1:8081", isLoopback: Bool = true, origin: String? = nil,
        fetchSite: String? = nil, contentType: String? = nil
    ) -> AdminRequest {
        AdminRequest(
            method: method, host: host, addressesLoopback: isLoopback, origin: origin, fetchSite: fetchSite,
            contentType: contentType)
    }

    @Test func withoutATokenOnlyTheOwnerWrites() {
        #expect(status(request(.post), purge) == nil)
        #expect(status(request(.post), purge, isOwner: false) == 403)
        #expect(status(request(), stats, isOwner: false) == nil)
        #expect(status(request(.post), purge, token: "t", isOwner: false) == nil)
    }

    @Test func withATokenNothingIsToldWithoutIt() {
        for endpoint in AdminEndpoint.table {
            let expected = endpoint.audience == .anyone ? nil : 401
            let method = endpoint.methods[0]
            #expect(status(request(method), endpoint, token: "t", .nothing) == expected, "\(endpoint.path)")
        }
        #expect(status(request(), nil, token: "t", .nothing) == 401, "not even which paths there are")
    }

    @Test func aPageWithoutASessionIsSentToTheForm() {
        var page = request()
        page.wantsPage = true
        #expect(status(page, stats, token: "t", .nothing) == 303)
    }

    @Test func aHostThatIsNoLoopbackNeedsAToken() {
        let foreign = request(host: "evil.example", isLoopback: false)
        #expect(status(foreign, stats) == 421)
        #expect(status(foreign, stats, token: "t") == nil)
    }

    @Test func anOriginMustBeTheHostsOwn() {
        #expect(status(request(origin: "http://127.0.0.1:8081"), stats) == nil)
        #expect(status(request(host: "LocalHost:1", origin: "HTTP://localhost:1"), stats) == nil)
        for site in ["same-origin", "none"] { #expect(status(request(fetchSite: site), stats) == nil, "\(site)") }
        for origin in ["http://127.0.0.1", "http://127.0.0.1:80810", "https://127.0.0.1:8081", "null", ""] {
            #expect(status(request(origin: origin), stats) == 403, "\(origin)")
            #expect(status(request(origin: origin), stats, token: "t") == 403, "\(origin)")
        }
    }

    /// Forms of other sites can send three other types without a preflight.
    @Test func aBrowsersPostMustBeJSON() {
        let origin = "http://127.0.0.1:8081"
        #expect(status(request(.post, origin: origin, contentType: "application/json"), purge) == nil)
        #expect(status(request(.post, origin: origin, contentType: "text/plain"), purge) == 415)
        for type in [nil, "text/plain", "application/x-www-form-urlencoded", "multipart/form-data"] {
            #expect(status(request(.post, fetchSite: "same-origin", contentType: type), purge) == 415)
        }
        #expect(status(request(.post, contentType: "application/x-www-form-urlencoded"), purge) == nil, "curl's own")
    }

    @Test func methodsAreKnown() {
        #expect(status(request(.put), purge) == 405)
        #expect(status(request(.head), stats) == nil)
        #expect(status(request(), nil) == nil, "the service answers that there is nothing")
    }
}
