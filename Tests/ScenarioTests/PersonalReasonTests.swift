import Foundation
import Proxy
import Testing

/// Each cause of the reason `personal` that REFERENCE names, and no other.
@Suite(.timeLimit(.minutes(10))) struct PersonalReasonTests {
    /// Requests, and whether the reason is given for the last of them.
    struct Case: Sendable, CustomTestStringConvertible {
        typealias Request = (method: String, target: String, fields: [(String, String)])
        let testDescription: String
        let requests: [Request]
        let isReason: Bool
        var keeps = true

        init(_ name: String, _ requests: Request..., isReason: Bool, keeps: Bool = true) {
            (testDescription, self.requests, self.isReason, self.keeps) = (name, requests, isReason, keeps)
        }
    }

    private static let songs = "/v1/me/library/songs"
    private static let anna = [("Music-User-Token", "anna")]
    private static let ben = [("Music-User-Token", "ben")]
    private static let (write, dead) = (
        ("PUT", "/v1/me/ratings/songs/1", anna), ("GET", "/v1/me/dead", anna)
    )

    static let cases = [
        Case("nothing personal is kept", ("GET", songs, anna), isReason: true, keeps: false),
        Case("the user is named", ("GET", songs, anna), isReason: false),
        Case("the user has just written", write, ("GET", songs, anna), isReason: true),
        Case("another user has just written", write, ("GET", songs, ben), isReason: false),
        Case("the user's token was just refused", dead, ("GET", songs, anna), isReason: true),
        Case("another user's token was just refused", dead, ("GET", songs, ben), isReason: false),
        Case("no user is named", ("GET", songs, []), isReason: true),
        Case("the token is empty", ("GET", songs, [("Music-User-Token", "")]), isReason: true),
        // Any cookie was a cause, which no page said.
        Case("a cookie alone names the user", ("GET", songs, [("Cookie", "media-user-token=anna")]), isReason: true),
        Case(
            "a cookie names the same user", ("GET", songs, anna + [("Cookie", "a=b; media-user-token=anna")]),
            isReason: false),
        Case("another cookie", ("GET", songs, anna + [("Cookie", "theme=dark")]), isReason: false),
        Case("a token on an unknown route", ("GET", "/v1/unknown", anna), isReason: true),
        Case("a token outside of the API", ("GET", "/elsewhere", anna), isReason: true),
        Case("no token outside of the API", ("GET", "/elsewhere", []), isReason: false),
        Case("a token in the catalog is dropped", ("GET", "/v1/catalog/us/songs/1", anna), isReason: false),
    ]

    @Test(arguments: cases) func theReasonIsPersonal(example: Case) throws {
        let origin = try FakeOrigin { FakeOrigin.Reply(status: $0.target.contains("dead") ? 403 : 200) }
        let policy = example.keeps ? Policy(.personal, .fixed(600, stale: 0)) : Policy()
        let proxy = try ProxyUnderTest(before: origin, policy: policy)
        var before = 0
        for request in example.requests {
            before = proxy.statistics[because: .personal]
            _ = try proxy.client.send(request.method, request.target, fields: request.fields)
        }
        #expect((proxy.statistics[because: .personal] > before) == example.isReason)
    }
}
