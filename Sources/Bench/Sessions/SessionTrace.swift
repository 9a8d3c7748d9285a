import Simulator

// What a trace is: the requests of many client sessions in the order in which they are due.
//
// What must hold: a trace is a value that depends on its seed alone, so that every server is asked
// for the same.

/// What a request is about, as far as it matters for what its answer can be made of.
enum RequestKind: String, CaseIterable, Sendable {
    /// `/{type}/{id}`, without and with `include`, `extend` or the like.
    case single = "single"
    case decorated = "single, decorated"
    /// `/{type}?ids=`, without and with `include`, `extend` or the like.
    case batch = "batch"
    case decoratedBatch = "batch, decorated"
    /// `/{type}/{id}/{relationship or view}`: the window at the beginning, and one further down.
    case firstPage = "page at 0"
    case furtherPage = "page further down"
    case charts = "charts"
    case search = "search"
    /// Hints and suggestions, asked for at every key.
    case typing = "typing"
    case other = "other"

    init(_ target: SimulatorTarget) {
        let isDecorated = target.parameters.contains { ["include", "extend", "views"].contains($0.name) }
        switch (target.elements.dropFirst(3).first, target.elements.count) {
        case ("charts"?, _): self = .charts
        case ("search"?, 4): self = .search
        case ("search"?, _): self = .typing
        case (_, 4) where target.first("ids") != nil: self = isDecorated ? .decoratedBatch : .batch
        case (_, 5): self = isDecorated ? .decorated : .single
        case (_, 6...): self = (target.first("offset") ?? "0") == "0" ? .firstPage : .furtherPage
        default: self = .other
        }
    }
}

/// One request of a client.
struct TraceRequest: Sendable {
    /// Path and query as this client spells them.
    let target: String
    let kind: RequestKind
    /// When it is sent, in milliseconds since the trace began, if the clients' users took their
    /// time.
    let due: Int
    /// The status of the simulated API's answer.
    let status: Int
    /// The place in the trace of the request whose answer the client has to have first; nil where
    /// there is none.
    var predecessor: Int?
}

/// The requests of a benchmark, in order of time.
struct SessionTrace: Sendable {
    let name: String
    let requests: [TraceRequest]

    /// From the first request to the last, in milliseconds.
    var length: Int { requests.last?.due ?? 0 }
}
