// Faults of the simulated API, and how often they come: a seeded decision per request.

/// A way of failing and the share of requests it befalls.
public struct Fault: Sendable, Equatable {
    public enum Kind: String, CaseIterable, Sendable {
        case tooManyRequests = "429"
        case serverError = "500"
        case unavailable = "503"
        case gatewayTimeout = "504"
        case reset, truncate, slow
    }

    var kind: Kind
    /// In requests per million: shares are compared as whole numbers, so that a seed decides the
    /// same everywhere.
    var perMillion: Int

    init(_ kind: Kind, perMillion: Int = 1_000_000) {
        self.kind = kind
        self.perMillion = min(max(perMillion, 0), 1_000_000)
    }
}

extension SimulatorConfiguration {
    /// The first fault that befalls the request of this index.
    func fault(ofRequest index: Int) -> Fault.Kind? {
        faults.enumerated().first { place, fault in
            Seed(value: seed).number(below: 1_000_000, .fault, index, place) < fault.perMillion
        }?.element.kind
    }
}
