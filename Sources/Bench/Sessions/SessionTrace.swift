// Traces: the requests of many client sessions in the order in which they are due. Must hold: a
// trace is a value that depends on its seed alone, so that every server is asked for the same.

/// One request of a client.
struct TraceRequest: Sendable {
    /// Path and query as this client spells them.
    let target: String
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
}
