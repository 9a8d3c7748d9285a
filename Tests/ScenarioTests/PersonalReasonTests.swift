import Foundation
import Freshness
import Proxy
import Server
import TestSupport
import Testing

/// Each cause of the reason `personal` that REFERENCE names, and no other.
@Suite(.timeLimit(.minutes(10))) struct PersonalReasonTests {
    private static let songs = "/v1/me/library/songs"
    private static let anna = [("Music-User-Token", "anna")]

    /// How often the reason is given for the last of some requests.
    private func isReason(
        _ requests: (method: String, target: String, fields: [(String, String)])..., keeps: Bool = true
    ) throws -> Bool {
        let origin = try FakeOrigin { FakeOrigin.Reply(status: $0.target.contains("dead") ? 403 : 200) }
        let policy = keeps ? Policy(.personal, .fixed(600, stale: 0)) : Policy()
        let proxy = try ProxyUnderTest(originPort: origin.port, policy: policy)
        for request in requests.dropLast() {
            _ = try proxy.client.send(request.method, request.target, fields: request.fields)
        }
        let before = proxy.statistics[because: .personal]
        let last = requests[requests.count - 1]
        _ = try proxy.client.send(last.method, last.target, fields: last.fields)
        return proxy.statistics[because: .personal] > before
    }

    @Test func nothingPersonalIsKept() throws {
        #expect(try isReason(("GET", Self.songs, Self.anna), keeps: false))
        #expect(try !isReason(("GET", Self.songs, Self.anna)))
    }

    @Test func theUserHasJustWritten() throws {
        let write = ("PUT", "/v1/me/ratings/songs/1", Self.anna)
        #expect(try isReason(write, ("GET", Self.songs, Self.anna)))
        #expect(try !isReason(write, ("GET", Self.songs, [("Music-User-Token", "ben")])))
    }

    @Test func theUsersTokenHasJustBeenRefused() throws {
        let dead = ("GET", "/v1/me/dead", Self.anna)
        #expect(try isReason(dead, ("GET", Self.songs, Self.anna)))
        #expect(try !isReason(dead, ("GET", Self.songs, [("Music-User-Token", "ben")])))
    }

    @Test func theRequestNamesNoUser() throws {
        #expect(try isReason(("GET", Self.songs, [])))
        #expect(try isReason(("GET", Self.songs, [("Music-User-Token", "")])))
    }

    /// Any cookie was a cause, which no page said.
    @Test func aCookieAloneNamesTheUser() throws {
        #expect(try isReason(("GET", Self.songs, [("Cookie", "media-user-token=anna")])))
        #expect(try !isReason(("GET", Self.songs, Self.anna + [("Cookie", "a=b; media-user-token=anna")])))
        #expect(try !isReason(("GET", Self.songs, Self.anna + [("Cookie", "theme=dark")])))
    }

    @Test func aTokenComesWithAPathOfNoKnownRoute() throws {
        #expect(try isReason(("GET", "/v1/unknown", Self.anna)) && isReason(("GET", "/elsewhere", Self.anna)))
        #expect(try !isReason(("GET", "/elsewhere", [])))
        #expect(try !isReason(("GET", "/v1/catalog/us/songs/1", Self.anna)), "the token is dropped")
    }
}
