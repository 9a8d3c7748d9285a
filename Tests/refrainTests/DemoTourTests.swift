import Testing

@testable import refrain

/// The output of `make run` was a list of misses.
@Suite(.timeLimit(.minutes(10))) struct DemoTourTests {
    @Test func eachRequestShowsWhatIsPrintedBelowIt() throws {
        let running = try RunningDemo()
        defer { running.stop() }
        for (target, shows) in Demo.tour {
            let status = try running.client.send("GET", target).field("Cache-Status") ?? ""
            #expect(status.contains(shows), "\(target): \(status)")
        }
        #expect(Demo.tour.contains { $0.shows == "hit" } && Demo.tour.contains { $0.shows == "detail=window" })
    }
}
