import Cache
import Foundation
import Proxy
import Server
import TestSupport
import Testing

/// The system's clock is set ahead and back (HARDENING F10): no age is negative, and no answer is
/// called too fresh. Timers run by another clock; `DeveloperTokenTests` have the developer token.
@Suite(.timeLimit(.minutes(10))) struct ClockTests {
    private static let lifetime = 60
    private static let stale = 600
    /// Unix seconds of 2038-01-19 03:14:08 and of 1970-01-01 00:00:10.
    private static let (beyond32Bits, atTheBeginning): (Int64, Int64) = (2_147_483_648, 10)

    /// The age or lifetime of an answer that is impossible; nil for a right answer.
    private func problem(_ reply: HTTPTestClient.Reply) -> String? {
        guard reply.status == 200 else { return "status \(reply.status)" }
        if let text = reply.field("Age") {
            guard let age = Int(text), (0...(Self.lifetime + Self.stale)).contains(age) else { return "Age: \(text)" }
        }
        let status = reply.field("Cache-Status") ?? ""
        guard let ttl = status.components(separatedBy: "; ").first(where: { $0.hasPrefix("ttl=") })?.dropFirst(4) else {
            return nil
        }
        guard let seconds = Int(ttl), seconds <= Self.lifetime else { return "Cache-Status: \(status)" }
        return nil
    }

    /// Any order of requests, steps and moments far away, with a file and without.
    @Test(arguments: TestSize.of([21], full: [21, 22, 23]) as [UInt64], [true, false])
    func noOrderOfStepsMakesAnImpossibleAge(seed: UInt64, hasFile: Bool) throws {
        var random = SeededGenerator(seed: seed)
        let clock = ManualClock(1_790_000_000)
        let folder = try TemporaryFolder()
        let proxy = try ProxyUnderTest(
            before: FakeOrigin(), cache: ResponseCache(file: hasFile ? folder.file("cache.sqlite") : nil),
            policy: Policy(.albums, .fixed(Self.lifetime, stale: Self.stale)),
            timeOfDay: TimeOfDay { clock.unixSeconds })
        for number in 0..<TestSize.of(150, release: 2_000) {
            let now = clock.unixSeconds
            let far: [Int64] = [Self.beyond32Bits - now, Self.atTheBeginning - now, 1_790_000_000 - now]
            let near: [Int64] = [0, 1, 30, 61, 661, 3_600, -1, -30, -3_600, 400 * 86_400, -400 * 86_400]
            let step = (far + near).randomElement(using: &random)!
            if Int.random(in: 0..<3, using: &random) == 0 { clock.advance(seconds: Int(step)) }
            let target = "/v1/catalog/us/albums/\(Int.random(in: 1...4, using: &random))"
            let problem = problem(try proxy.client.send("GET", target))
            #expect(problem == nil, "seed \(seed), request \(number), at \(clock.unixSeconds)")
            if problem != nil { return }
        }
        #expect(proxy.origin.requests.count > 4)
    }
}
