// The simulated Apple Music API: faults, the developer token, then an endpoint, then the response
// fields.
// Must hold: the same request gets the same JSON value at the same revision, but for what
// writes have changed in between; an answer is of one revision as a whole.

import Synchronization

/// Says whether a developer token is good: the token, the request's `Origin` if it has one, and the
/// time.
public typealias DeveloperTokenCheck = @Sendable (_ token: String, _ origin: String?, _ nowUnixSeconds: Int64) -> Bool

/// Answers requests as `api.music.apple.com` does, as far as APPLE-MUSIC-API.md knows, from a
/// seeded catalog.
public final class SimulatedAPI: Responder {
    let world: SimulatedWorld
    private let current: Mutex<Snapshot>
    private let isGood: DeveloperTokenCheck
    private let requestCount = Atomic<Int>(0)
    /// The last second of a request, and how many came in it.
    private let lastSecond = Mutex((second: Int64.min, count: 0))
    /// The catalog's revision at the last request, and when it was first asked for.
    private let lastMove = Mutex((catalog: 0, at: Int64.min))

    /// - Parameter verifier: judges developer tokens where the configuration requires them; by
    ///   default any token is good that has the three parts of a JWT.
    public init(
        configuration: SimulatorConfiguration = SimulatorConfiguration(), verifier: DeveloperTokenCheck? = nil
    ) {
        world = SimulatedWorld(configuration)
        current = Mutex(Snapshot(revision: Revision(), catalog: world.catalog))
        isGood = verifier ?? { token, _, _ in token.utf8.split(separator: UInt8(ascii: ".")).count == 3 }
    }

    private var configuration: SimulatorConfiguration { world.configuration }

    public func respond(to request: SimulatorRequest) -> SimulatorResponse {
        let index = requestCount.add(1, ordering: .relaxed).oldValue
        if index > 0, configuration.reviseEvery > 0, index % configuration.reviseEvery == 0 { revise() }
        if index > 0, index == configuration.flipAfter { flip() }
        var response = answer(request, index: index)
        response.delay += configuration.latency
        return response
    }

    /// Answers as it would have at another revision: no faults, no delay, no limit, and nothing is
    /// counted. Users' libraries are as they are now. A write is answered 405, because it would
    /// change them.
    func respond(to request: SimulatorRequest, asOf revision: Revision) -> SimulatorResponse {
        if request.method == "OPTIONS" { return ResponseFields.preflight(request) }
        guard request.method == "GET" || request.method == "HEAD" else { return failure(.methodNotAllowed, request) }
        return success(request, snapshot(at: revision), index: 0)
    }

    /// Requests so far, refused ones too.
    public var requests: Int { requestCount.load(ordering: .relaxed) }

    var revision: Revision { current.withLock { $0.revision } }

    /// Changes some attributes, lists and availabilities (see ``Revision``); requests under way are
    /// answered as before.
    @discardableResult
    public func revise() -> Revision {
        move { Revision(catalog: $0.catalog + 1, isFlipped: $0.isFlipped) }
    }

    /// Changes the shapes of answers (see ``Revision``), or changes them back.
    @discardableResult
    func flip() -> Revision {
        move { Revision(catalog: $0.catalog, isFlipped: !$0.isFlipped) }
    }

    private func move(_ next: (Revision) -> Revision) -> Revision {
        current.withLock { current in
            current = snapshot(at: next(current.revision))
            return current.revision
        }
    }

    func snapshot(at revision: Revision) -> Snapshot {
        Snapshot(revision: revision, catalog: Catalog(world.catalog, revision: revision.catalog))
    }

    private func answer(_ request: SimulatorRequest, index: Int) -> SimulatorResponse {
        if request.method == "OPTIONS" { return ResponseFields.preflight(request) }
        if configuration.requestsPerSecond > 0, exceedsLimit(request) { return failure(.capacity, request) }
        let fault = configuration.fault(ofRequest: index)
        switch fault {
        case .tooManyRequests: return failure(.capacity, request)
        case .serverError: return failure(.upstreamService, request)
        case .unavailable: return failure(.unavailable, request)
        case .gatewayTimeout: return failure(.gatewayTimeout, request)
        case .reset, .truncate, .slow, nil: break
        }
        var response = success(request, answering(request, index), index: index)
        if configuration.has(.lateAnswers), index % 4 == 0 { response.delay += .milliseconds(60) }
        if fault == .slow { response.delay = .seconds(3) } else { response.fault = fault }
        return response
    }

    /// The state that a request meets: the latest, or that of a replica that lags.
    private func answering(_ request: SimulatorRequest, _ index: Int) -> Snapshot {
        let latest = current.withLock { $0 }
        guard configuration.has(.laggingReplicas) else { return latest }
        let (now, revision) = (request.nowUnixSeconds, latest.revision)
        let since = lastMove.withLock { last in
            if last.catalog != revision.catalog { last = (revision.catalog, now) }
            return last.at
        }
        guard revision.catalog > 0, index % 3 == 0, now < since + SimulatorConfiguration.lag else { return latest }
        return snapshot(at: Revision(catalog: revision.catalog - 1, isFlipped: revision.isFlipped))
    }

    private func exceedsLimit(_ request: SimulatorRequest) -> Bool {
        lastSecond.withLock { last in
            let now = request.nowUnixSeconds
            last = (now, last.second == now ? last.count + 1 : 1)
            return last.count > configuration.requestsPerSecond
        }
    }

    private func success(_ request: SimulatorRequest, _ snapshot: Snapshot, index: Int) -> SimulatorResponse {
        do {
            try authorize(request)
            let reply = try SimulatedExchange(world, snapshot, request, index: index).reply()
            return ResponseFields.success(reply, request, configuration)
        } catch {
            return failure(error, request)
        }
    }

    private func failure(_ error: APIError, _ request: SimulatorRequest) -> SimulatorResponse {
        ResponseFields.failure(error, request, configuration)
    }

    /// A missing or bad developer token is 401, whatever else is wrong (APPLE-MUSIC-API 2.1.5).
    private func authorize(_ request: SimulatorRequest) throws(APIError) {
        guard configuration.requiresAuthorization else { return }
        guard let value = request.field("Authorization"), value.lowercased().hasPrefix("bearer ") else {
            throw .unauthorized
        }
        let token = String(value.dropFirst(7))
        if !isGood(token, request.field("Origin"), request.nowUnixSeconds) { throw .unauthorized }
    }
}
