import Testing

/// A client's conditions on answers that are not stored: the origin may not know conditions.
@Suite(.timeLimit(.minutes(10))) struct ConditionTests {
    private static let target = "/v1/thing"
    private static let date = "Tue, 01 Jan 2019 00:00:00 GMT"

    private static func origin(size: Int = 4_000) throws -> FakeOrigin {
        let fields = [
            ("Content-Type", "application/json"), ("Cache-Control", "private"), ("ETag", "\"a\""),
            ("Last-Modified", date),
        ]
        return try FakeOrigin(.init(fields: fields, bytes: [UInt8](repeating: 32, count: size)))
    }

    private static let conditions = [
        ("If-None-Match", "\"a\"", 304), ("If-None-Match", "\"b\"", 200), ("If-Modified-Since", date, 304),
        ("If-Match", "\"b\"", 200),
    ]

    /// A 200 that carried the very tag that was asked about.
    @Test(arguments: conditions) func anUnstoredAnswerIsComparedWithTheCondition(
        name: String, value: String, status: Int
    ) throws {
        let proxy = try ProxyUnderTest(before: Self.origin())
        for method in ["GET", "HEAD"] {
            let reply = try proxy.client.send(method, Self.target, fields: [(name, value)])
            #expect(reply.status == status && reply.field("ETag") == "\"a\"", "\(method)")
            #expect((reply.field("Content-Type") == nil) == (status == 304))
            #expect(reply.body.count == (status == 200 && method == "GET" ? 4_000 : 0))
            #expect(reply.field("Cache-Status")?.contains("fwd-status=200") == true)
        }
        #expect(try proxy.client.send("POST", Self.target, fields: [(name, value)]).status == 200)
        #expect(proxy.origin.requests.count == 3)
        #expect(try proxy.finalLog().contains { $0.contains("\" \(status) \(status == 304 ? 0 : 4_000) ") })
    }

    @Test func aUsersConditionIsAnsweredForAnOriginWithoutConditions() throws {
        let proxy = try ProxyUnderTest(before: Self.origin())
        let fields = [("Music-User-Token", "anna"), ("If-None-Match", "\"a\"")]
        let reply = try proxy.client.send("GET", "/v1/me/library/songs", fields: fields)
        #expect(reply.status == 304 && reply.body.isEmpty && reply.field("Cache-Control") == "private, no-store")
        #expect(proxy.origin.requests[0].field("If-None-Match") == "\"a\"")
    }

    /// It goes on as it comes, and is known by its head.
    @Test func aLargeAnswerThatMatchesIsNotSent() throws {
        let proxy = try ProxyUnderTest(before: Self.origin(size: 1 << 20))
        for tag in ["\"a\"", "\"b\"", "\"a\""] {
            let reply = try proxy.client.send("GET", Self.target, fields: [("If-None-Match", tag)])
            #expect(reply.status == (tag == "\"a\"" ? 304 : 200))
            #expect(reply.body.count == (tag == "\"a\"" ? 0 : 1 << 20))
        }
        #expect(try proxy.finalLog().count { $0.contains("\" 304 0 ") } == 2 && proxy.statistics[.requests] == 3)
    }
}
