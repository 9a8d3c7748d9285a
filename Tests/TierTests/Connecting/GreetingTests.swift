import EventLoop
import Testing

@testable import Tier

@Suite struct GreetingTests {
    private static func greeting(user: String? = nil, password: String? = nil) -> Greeting {
        var settings = TierSettings(endpoints: [Endpoint(isTLS: false, host: "a", port: 6379)], nodeName: "n1")
        settings.user = user.map { Array($0.utf8) }
        settings.password = password.map { Array($0.utf8) }
        return Greeting(settings)
    }

    private static let node = Endpoint(isTLS: false, host: "a", port: 6379)

    private static func verdict(password: String? = nil, _ replies: [RESPReply]) -> Greeting.Verdict {
        greeting(password: password).verdict(replies, of: node)
    }

    private static let master = RESPReply.array([.bulk("master"), .integer(0), .array([])])
    private static let key = RESPReply.array([.bulk(nil)])
    private static let noAuth = RESPReply.error(code: "NOAUTH", text: "Authentication required.")

    @Test func aGreetingHasWhatIsNeededAndShowsNoPassword() {
        let rest = [
            RESPCommand("CLIENT", "SETNAME", "refrain-n1"), RESPCommand("ROLE"),
            RESPCommand("MGET", "refrain:{refrain}:epoch"),
        ]
        #expect(Self.greeting().commands == rest)
        #expect(Self.greeting(password: "p").commands == [RESPCommand("AUTH", "p")] + rest)
        #expect(Self.greeting(user: "u", password: "p").commands == [RESPCommand("AUTH", "u", "p")] + rest)
        #expect(Self.greeting(user: "u").commands == rest)
        let endpoints = ["a", "::1"].map { Endpoint(isTLS: false, host: $0, port: 6379) }
        var settings = TierSettings(endpoints: endpoints, nodeName: "n1")
        settings.user = [1]
        settings.password = Array("secret".utf8)
        #expect("\(settings)" == "a:6379,[::1]:6379" && String(reflecting: settings) == "a:6379,[::1]:6379")
        var dumped = ""
        dump(settings, to: &dumped)
        #expect(!dumped.contains("115") && !dumped.contains("secret"))
    }

    @Test func onlyAMasterIsUsed() {
        let table: [(RESPReply, TierFailure?)] = [
            (Self.master, nil), (.array([.bulk("master")]), nil),
            (.array([.bulk("slave"), .bulk("10.0.0.1"), .integer(6379), .bulk("connected")]), .role("slave")),
            (.array([.bulk("sentinel"), .array([])]), .sentinel),
            (.array([.bulk("mas\r\nter")]), .role("unknown")), (.array([.bulk("")]), .role("unknown")),
            (.array([.integer(1)]), .role("unknown")), (.array([]), .role("unknown")),
            (.array(nil), .role("unknown")), (.simple("OK"), .role("unknown")), (.bulk("master"), .role("unknown")),
            (Self.noAuth, .refused(EngineRefusal("ROLE", code: "NOAUTH", text: "Authentication required."))),
            (
                .error(code: "\u{1B}[31m", text: "a"), .refused(EngineRefusal("ROLE", code: "?[31m", text: "a"))
            ),
        ]
        for (role, failure) in table {
            #expect(Self.verdict([.simple("OK"), role, Self.key]) == (failure.map { .unusable($0) } ?? .usable))
        }
    }

    /// A Sentinel with a password, and one without.
    @Test func aSentinelIsKnownWhateverElseItRefuses() {
        let (no, role) = (RESPReply.error(code: "ERR", text: "no"), RESPReply.array([.bulk("sentinel"), .array([])]))
        #expect(Self.verdict(password: "p", [no, no, role, no]) == .unusable(.sentinel))
    }

    @Test func aNodeOfAClusterNamesTheOwnerOfTheKeys() throws {
        let moved = RESPReply.error(code: "MOVED", text: "5 10.0.0.2:7001")
        let owner = Greeting.Verdict.moved(try #require(SlotOwner(moved, from: Self.node)))
        let replica = RESPReply.array([.bulk("slave"), .bulk("10.0.0.1"), .integer(6379)])
        for role in [Self.master, replica] { #expect(Self.verdict([.simple("OK"), role, moved]) == owner) }
        // Its word is worth nothing before it has taken the credentials.
        #expect(Self.verdict(password: "p", [Self.noAuth, Self.noAuth, Self.noAuth, moved]) != owner)
        for code in ["CLUSTERDOWN", "ASK", "NOPERM"] {
            let refused = EngineRefusal("MGET", code: code, text: "5 x:1")
            let key = RESPReply.error(code: code, text: "5 x:1")
            #expect(Self.verdict([.simple("OK"), Self.master, key]) == .unusable(.refused(refused)))
        }
    }

    @Test func onlyCredentialsMustBeTaken() {
        func verdict(_ replies: RESPReply...) -> Greeting.Verdict { Self.verdict(password: "p", replies + [Self.key]) }
        func refused(_ code: String, _ text: String = "") -> Greeting.Verdict {
            .unusable(.refused(EngineRefusal("AUTH", code: code, text: text)))
        }
        let ok = RESPReply.simple("OK")
        #expect(
            verdict(.error(code: "WRONGPASS", text: "of 'q'"), Self.noAuth, Self.noAuth)
                == refused("WRONGPASS", "of 'q'"))
        // An engine without a password, which would let in anyone, says so.
        #expect(verdict(.error(code: "ERR", text: ""), ok, Self.master) == refused("ERR"))
        #expect(verdict(.bulk(nil), ok, Self.master) == refused("an unexpected reply"))
        let refusal = RESPReply.error(code: "NOPERM", text: "")
        #expect(
            Self.verdict([refusal, Self.master, Self.key]) == .usable && verdict(ok, refusal, Self.master) == .usable)
    }

    /// Whatever repeats it: an engine without AUTH, or one with its own words.
    @Test(arguments: ["unknown command 'AUTH', with args beginning with: 'pass' ", "no user has the password pass"])
    func noRefusalShowsThePassword(text: String) {
        let reply = RESPReply.error(code: "ERR", text: text)
        let verdict = Self.verdict(password: "pass", [reply, .simple("OK"), Self.master, Self.key])
        guard case .unusable(let failure) = verdict else {
            Issue.record("\(verdict)")
            return
        }
        #expect(!failure.description.contains("pass") && failure.description.hasPrefix("AUTH refused: ERR"))
    }

    /// It is the only reply, and the engine closes the connection.
    @Test func aConnectionBeyondTheLimitOfClientsIsRefused() {
        let error = RESPReply.error(code: "ERR", text: "max number of clients reached")
        let failure = Self.greeting().verdict(first: error)
        #expect(failure?.description == "connect refused: ERR max number of clients reached")
        for other in [RESPReply.simple("OK"), Self.noAuth] { #expect(Self.greeting().verdict(first: other) == nil) }
    }
}
