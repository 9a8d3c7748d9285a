import Foundation
import Synchronization
import TestSupport
import Testing

/// Costs in instructions and allocations, which a busy machine does not change.
@Suite(.timeLimit(.minutes(30)), .requires(.binary), .requires(.valgrind), .requires(.plainBuild))
struct CostTests {
    @Test func everyPathHasItsLimit() { #expect(CostLimit.release.map(\.path) == CostPath.allCases) }

    /// One test for all paths: each of many would wait for its turn after all other tests.
    @Test func requestsCostNoMoreThanTheyDid() async throws {
        for limit in CostLimit.table where limit.path != .framedHit || Requirement.nghttp2.isMet {
            do {
                try await Self.hold(limit)
            } catch {
                Issue.record(error, "\(limit.path)")
            }
        }
        guard TestSize.isFull else { return }
        try await Self.recordingAddsLittleToAHit()
        if Requirement.redis.isMet { try await Self.sharingAddsNothingToAHit() }
    }

    private static func hold(_ limit: CostLimit) async throws {
        let cost = try await measure(limit.path) { limit.complaints(about: $0).isEmpty }
        let remarks = limit.remarks(about: cost).map { "; " + $0 }.joined()
        FigureTable.note("cost of a request, \(limit.path)", "\(cost)\(remarks)")
        for complaint in limit.complaints(about: cost) { Issue.record(Comment(rawValue: complaint)) }
    }

    /// Measures the loop's work alone; the writing thread has the lowest priority.
    private static func recordingAddsLittleToAHit() async throws {
        let hit = try await measure(.hit) { _ in true }
        // Noise only adds, and it adds to the one or the other.
        func share(_ cost: Cost) -> Double {
            min(cost.answering - hit.answering, cost.instructions - hit.instructions) / CostLimit.hit.instructions
        }
        let share = share(try await measure(.recordedHit) { share($0) <= CostLimit.mostForRecording })
        FigureTable.note("what recording adds to a hit", "\((share * 1000).rounded() / 10) % of what a hit may cost")
        #expect(share <= CostLimit.mostForRecording)
    }

    /// Measures the answering alone: the purge log is followed by a loop of its own, at intervals.
    private static func sharingAddsNothingToAHit() async throws {
        let (program, valgrind) = (try #require(BinaryUnderTest.path), try #require(Tool("valgrind")))
        let hit = try await measure(.hit) { _ in true }
        let most = TestSize.of(CostLimit.noiseOfDebug, full: CostLimit.noise)
        var share = Double.infinity
        for _ in 0..<6 where share > most {
            let shared = try await onThread { try measure(.hit, program, valgrind, engine: RedisServer()) }
            share = min(share, (shared.answering - hit.answering) / hit.answering)
            FigureTable.note(
                "a hit beside a shared tier", "\(shared.answering) instructions, \(hit.answering) without a tier")
        }
        #expect(share <= most)
    }

    private static let least = Mutex<[CostPath: Cost]>([:])

    /// Other work on the machine only adds, so a cost that does not fit is measured again.
    private static func measure(_ path: CostPath, until fits: (Cost) -> Bool) async throws -> Cost {
        let (program, valgrind) = (try #require(BinaryUnderTest.path), try #require(Tool("valgrind")))
        for _ in 0..<6 {
            if let cost = least.withLock({ $0[path] }), fits(cost) { return cost }
            let cost = try await onThread { try measure(path, program, valgrind) }
            least.withLock { $0[path] = cost.least(of: $0[path]) }
        }
        return try #require(least.withLock { $0[path] })
    }

    private static func measure(
        _ path: CostPath, _ program: String, _ valgrind: Tool, engine: RedisServer? = nil
    ) throws -> Cost {
        let origin = try CatalogOrigin.start()
        defer { origin.stop() }
        let proxy = try MeasuredProxy(
            program: program, valgrind: valgrind, originPort: origin.port,
            folder: URL(fileURLWithPath: CostLimit.folder(of: path) + (engine == nil ? "" : "-shared")), path: path,
            engine: engine?.port)
        if engine != nil { try proxy.waitForTier() }
        let relay = path.isSecure ? try SecureRelay(to: proxy.securePort, tls: proxy.clientTLS(for: path)) : nil
        let framed = path == .framedHit ? try relay.map { try FramedClient(port: $0.port) } : nil
        let client = HTTPTestClient(port: try framed == nil ? relay?.port ?? proxy.port : proxy.port)
        defer { client.close() }
        for target in path.material {
            try #require(try client.send("GET", target).status == 200, "\(target)")
        }
        // Pays for work that is done once, or when a request repeats.
        let warmUp = path.requests / 10
        func ask(_ number: Int) throws -> String {
            guard let framed else { return try Self.ask(client, path.request(number)) }
            let request = path.request(number)
            let content = try framed.content(request.target, request.fields)
            try #require(content.elementsEqual(CatalogOrigin.body(request.target).utf8), "\(request.target)")
            return path.status
        }
        for number in 0..<warmUp { _ = try ask(number) }
        if path.request(0).acceptsGzip { waitUntil { (try? isCoded(client, path.request(0))) ?? true } }
        _ = try proxy.profile()
        var others: [String] = []
        for number in warmUp..<warmUp + path.requests {
            let status = try ask(number)
            if !status.contains(path.status) { others.append("\(number): \(status)") }
        }
        try #require(others.count <= path.mostOthers, "\(path) \(others.first ?? "")")
        if path.request(0).acceptsGzip { try #require(try isCoded(client, path.request(0)), "\(path) is not coded") }
        let profile = try proxy.profile()
        try #require(profile.instructions > 0, "nothing was counted: is the loop's entry still EventLoop.drain?")
        try #require(MeasuredProxy.answering(profile) > 0, "is the service's entry still ProxyService.handle?")
        return Cost(
            instructions: Double(profile.instructions) / Double(path.requests),
            allocations: Double(profile.allocations) / Double(path.requests),
            answering: Double(MeasuredProxy.answering(profile)) / Double(path.requests))
    }

    private static func ask(_ client: HTTPTestClient, _ request: CostPath.Request) throws -> String {
        let reply = try client.send("GET", request.target, fields: request.fields)
        let expected = CatalogOrigin.body(request.target).utf8.count
        let isWhole = reply.field("Content-Encoding") == nil ? reply.body.count == expected : request.acceptsGzip
        try #require(reply.status == 200 && isWhole, "\(request.target)")
        return reply.field("Cache-Status") ?? ""
    }

    private static func isCoded(_ client: HTTPTestClient, _ request: CostPath.Request) throws -> Bool {
        try client.send("GET", request.target, fields: request.fields).field("Content-Encoding") == "gzip"
    }
}
