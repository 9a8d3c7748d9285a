import TestSupport

@testable import Bench
@testable import Recording
@testable import Simulator

/// An origin, and what clients ask of it.
struct TrialWorld: Sendable {
    enum Name: String, Sendable, CaseIterable {
        /// Sessions of three apps in three storefronts.
        case apps
        /// Other users of another catalog: more long lists, which fill up and have gaps in one
        /// storefront, and apps that ask for views and walk on until nothing comes.
        case lists
        /// The same few resources with ever other relationships, of an origin that shows more of
        /// these unasked.
        case decorated
        /// The recording that comes with the project, without its personal requests.
        case recording
    }

    struct Request: Sendable {
        let target: String
        /// The status of the origin's answer.
        let status: Int
        /// The place of the request whose answer the client has to have first.
        var predecessor: Int?
    }

    /// With its seed.
    let name: String
    let api: any Responder
    let requests: [Request]

    static func named(_ name: Name) -> TrialWorld {
        switch name {
        case .apps: apps
        case .lists: lists
        case .decorated: decorated
        case .recording: recording
        }
    }

    private static let length = TestSize.of(700, release: 1_000)
    /// A catalog that takes a debug build less long to make.
    private static let artists = TestSize.of(500, release: 700)

    private static let apps = generated(
        .apps, seed: 20_261_125, TraceGenerator.mixed, exponent: 1.1, ClientHabits(inJapan: 15))

    private static let lists = generated(
        .lists, seed: 20_261_126, TraceGenerator.varied, exponent: 0.8,
        ClientHabits(inJapan: 30, asksBlindly: true, selectsViews: true, repeatsIDs: true)
    ) { origin in
        origin.listCut = .filling
        origin.storefrontsWithGaps = ["jp"]
        origin.traits.unavailablePercent = 3
    }

    private static let decorated = generated(
        .decorated, seed: 20_261_127, TraceGenerator.including, exponent: 1.3, ClientHabits()
    ) { $0.relationHabit = .genres }

    /// An origin that wants no token, and whose misses are under way together.
    private static var standard: SimulatorConfiguration {
        var origin = SimulatorConfiguration()
        origin.requiresAuthorization = false
        origin.latency = .milliseconds(20)
        return origin
    }

    private static func generated(
        _ name: Name, seed: UInt64, _ shares: [TraceGenerator.Share], exponent: Double, _ habits: ClientHabits,
        _ change: (inout SimulatorConfiguration) -> Void = { _ in }
    ) -> TrialWorld {
        var origin = standard
        (origin.seed, origin.artists) = (seed, artists)
        change(&origin)
        let api = ObservedAPI(origin)
        let pool = MusicPool(api, artistLimit: artists / 10, exponent: exponent)
        var generator = TraceGenerator(api: api, pool: pool, seed: seed)
        generator.habits = habits
        let requests = generator.trace(shares, requests: length).map {
            Request(target: $0.target, status: $0.status, predecessor: $0.predecessor)
        }
        return TrialWorld(
            name: "\(name), seed \(seed)", api: SimulatedAPI(configuration: origin), requests: requests)
    }

    private static let recording: TrialWorld = {
        let exchanges = (try? RecordingReader(path: "Sources/Documentation/examples/sessions.jsonl").rest()) ?? []
        let requests = exchanges.filter { $0.method == "GET" && !$0.isPersonal }.map {
            Request(target: $0.target, status: $0.status)
        }
        return TrialWorld(name: "the recording", api: SimulatedAPI(configuration: standard), requests: requests)
    }()
}
