/// One request of a trace.
///
/// A trace has the requests of many client sessions in the order in which they are due. It depends
/// on its seed alone, so every server is asked for the same.
struct TraceRequest: Sendable {
    /// Path and query as this client spells them.
    let target: String
    /// Milliseconds from the beginning of the trace, at the pace of users.
    let due: Int
    let status: Int
    /// Index of the request whose answer the client needs first.
    var predecessor: Int?
}
