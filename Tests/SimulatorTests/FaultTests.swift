import Testing

@testable import Simulator

@Suite struct FaultTests {
    @Test(arguments: [
        (Fault.Kind.tooManyRequests, 429, "text/plain"), (.serverError, 500, "application/json;charset=utf-8"),
        (.unavailable, 503, "application/json;charset=utf-8"), (.gatewayTimeout, 504, "text/html"),
    ])
    func statusFaults(_ kind: Fault.Kind, _ status: Int, _ type: String) {  // APPLE-MUSIC-API 8
        let origin = SimulatedOrigin { $0.faults = [Fault(kind)] }
        let response = origin.respond("/v1/catalog/us/genres")
        #expect(response.status == status && response.field("Content-Type") == type)
        #expect(response.field("Retry-After") == nil)  // APPLE-MUSIC-API 10.3
        let text = String(decoding: response.body, as: UTF8.self)
        if status == 429 { #expect(text == "API capacity exceeded") }
        if status == 504 { #expect(text.contains("Gateway Timeout") && text.contains("Correlation Key: ")) }
    }

    @Test func transportFaultsAreValues() {
        let reset = SimulatedOrigin { $0.faults = [Fault(.reset)] }
        #expect(reset.respond("/v1/catalog/us/genres").fault == .reset)
        let truncated = SimulatedOrigin { $0.faults = [Fault(.truncate)] }.respond("/v1/catalog/us/genres")
        #expect(truncated.fault == .truncate(bodyBytes: truncated.body.count / 2))
        let slow = SimulatedOrigin {
            $0.faults = [Fault(.slow)]
            $0.latency = .milliseconds(5)
        }
        #expect(slow.respond("/v1/catalog/us/genres").delay == .milliseconds(3005))
    }

    @Test(arguments: [UInt64(1), 2, 3]) func sharesAreSeededAndAboutRight(_ seed: UInt64) {
        let make = {
            SimulatedOrigin {
                $0.seed = seed
                $0.faults = [Fault(.unavailable, perMillion: 100_000)]
            }
        }
        let (one, two) = (make(), make())
        let first = (0..<1000).map { _ in one.respond("/v1/test").status }
        #expect(first == (0..<1000).map { _ in two.respond("/v1/test").status }, "seed \(seed)")
        let failures = first.filter { $0 == 503 }.count
        #expect((50...150).contains(failures), "seed \(seed): \(failures)")
    }

    @Test func rateLimitCountsBySecond() {
        let origin = SimulatedOrigin { $0.requestsPerSecond = 3 }
        let statuses = [5, 5, 5, 5, 6, 6].map { origin.respond("/v1/test", now: $0).status }
        #expect(statuses == [200, 200, 200, 429, 200, 200])
    }
}
