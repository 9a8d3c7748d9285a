import Cache
import Upstream

/// Fetches what a composition lacks, on behalf of the exchange that leads the flight of the
/// composed answer.
///
/// Confined to its loop. It shares a fetch with whoever asks for the same. What it brought is found
/// in the cache.
final class PartialFetch {
    /// How it ended.
    enum End {
        case stored
        /// The origin's answer could not be stored; its status, if it is known.
        case unusable(status: Int?)
        /// There was none: another request would fare no better.
        case failed(FetchFailure)
    }

    private let originRequest: OriginRequest
    private let service: ProxyService
    private var completion: ((End) -> Void)?

    /// - Parameter completion: called once.
    init(_ originRequest: OriginRequest, service: ProxyService, completion: @escaping (End) -> Void) {
        self.originRequest = originRequest
        self.service = service
        self.completion = completion
    }

    /// Called once. It may end before this returns.
    func start() {
        guard let key = originRequest.key else { return end(.unusable(status: nil)) }
        switch service.shared.flights.join(key, self, on: service.context.loop) {
        case .lead(let flight), .alone(let flight):
            Fetch(originRequest, flight: flight, listener: self, service: service).start()
        case .wait: break
        case .full: end(.failed(FetchFailure(status: 503, reason: .queueFull, retryAfter: 1)))
        }
    }

    private func end(_ end: End) {
        let completion = completion
        self.completion = nil
        completion?(end)
    }
}

extension PartialFetch: FlightWaiter {
    func flightFinished(_ outcome: FlightOutcome) {
        switch outcome {
        case .stored: end(.stored)
        case .unstored(let response, _): end(.unusable(status: response.status))
        case .released: end(.unusable(status: nil))
        case .failed(let failure): end(.failed(failure))
        }
    }
}

extension PartialFetch: FetchListener {
    func ended(_ result: FetchResult, upstreamTime: Duration?) {
        switch result {
        case .stored: end(.stored)
        case .unstored(let response, _): end(.unusable(status: response.status))
        case .failed(let failure): end(.failed(failure))
        }
    }

    /// Too large to be of use for others: it is not read.
    func began(_ response: UpstreamResponse) -> Bool {
        end(.unusable(status: response.status))
        return false
    }

    func hinted(_ interim: UpstreamInterim) {}
    func received(_ bytes: [UInt8], resume: @escaping () -> Void) -> Bool { true }
    func finished() {}
    func broke() {}
    var isReading: Bool { false }
}
