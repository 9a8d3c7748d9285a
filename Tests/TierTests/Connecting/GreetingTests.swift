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

    private static let master = RESPReply.array([.bulk("master"), .integer(0), .array([])])
    private static let noAuth = RESPReply.error(code: "NOAUTH", text: "Authentication required.")

    @Test func aGreetingHasWhatIsNeededAndShowsNoPassword() {
        let rest = [RESPCommand("CLIENT", "SETNAME", "refrain-n1"), RESPCommand("ROLE")]
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
            (.array([.bulk("sentinel"), .array([])]), .role("sentinel")),
            (.array([.bulk("mas\r\nter")]), .role("unknown")), (.array([.bulk("")]), .role("unknown")),
            (.array([.integer(1)]), .role("unknown")), (.array([]), .role("unknown")),
            (.array(nil), .role("unknown")), (.simple("OK"), .role("unknown")), (.bulk("master"), .role("unknown")),
            (Self.noAuth, .refused(EngineRefusal("ROLE", code: "NOAUTH", text: "Authentication required."))),
            (
                .error(code: "\u{1B}[31m", text: "a"), .refused(EngineRefusal("ROLE", code: "?[31m", text: "a"))
            ),
        ]
        for (role, failure) in table { #expect(Self.greeting().verdict([.simple("OK"), role]) == failure) }
    }

    @Test func onlyCredentialsMustBeTaken() {
        let greeting = Self.greeting(password: "p")
        func refused(_ code: String, _ text: String = "") -> TierFailure {
            .refused(EngineRefusal("AUTH", code: code, text: text))
        }
        #expect(
            greeting.verdict([.error(code: "WRONGPASS", text: "of 'q'"), Self.noAuth, Self.noAuth])
                == refused("WRONGPASS", "of 'q'"))
        // An engine without a password, which would let in anyone, says so.
        #expect(greeting.verdict([.error(code: "ERR", text: ""), .simple("OK"), Self.master]) == refused("ERR"))
        #expect(greeting.verdict([.bulk(nil), .simple("OK"), Self.master]) == refused("an unexpected reply"))
        let refusal = RESPReply.error(code: "NOPERM", text: "")
        #expect(Self.greeting().verdict([refusal, Self.master]) == nil)
        #expect(Self.greeting(password: "p").verdict([.simple("OK"), refusal, Self.master]) == nil)
    }

    /// Whatever repeats it: an engine without AUTH, or one with its own words.
    @Test(arguments: ["unknown command 'AUTH', with args beginning with: 'pass' ", "no user has the password pass"])
    func noRefusalShowsThePassword(text: String) {
        let reply = RESPReply.error(code: "ERR", text: text)
        let failure = Self.greeting(password: "pass").verdict([reply, .simple("OK"), Self.master])
        #expect(failure?.description.contains("pass") == false && failure?.description.hasPrefix("AUTH refused: ERR") == true)
    }

    /// It is the only reply, and the engine closes the connection.
    @Test func aConnectionBeyondTheLimitOfClientsIsRefused() {
        let error = RESPReply.error(code: "ERR", text: "max number of clients reached")
        let failure = Self.greeting().verdict(first: error)
        #expect(failure?.description == "connect refused: ERR max number of clients reached")
        for other in [RESPReply.simple("OK"), Self.noAuth] { #expect(Self.greeting().verdict(first: other) == nil) }
    }
}
