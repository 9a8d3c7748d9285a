import Server

/// A request of a client's that was answered, as logs and their readers get it.
enum LoggedRequest {
    case answered(AnsweredRequest)
    /// A request that was not read to its end.
    case unread(UnreadRequest)
    /// A preflight, which is no request of an app's.
    /// - Parameters:
    ///   - path: of the target, without the query; the route where that is private.
    ///   - refusal: why the browser will not send the request; nil where it will.
    case preflight(path: [UInt8], refusal: StaticString?)

    var status: Int {
        switch self {
        case .answered(let answered): answered.status
        case .unread(let unread): unread.status
        case .preflight: 204
        }
    }

    /// nil for a preflight.
    var outcome: Outcome? {
        switch self {
        case .answered(let answered): answered.outcome
        case .unread: .refused
        case .preflight: nil
        }
    }

    /// `reason` and `detail` of a JSON line.
    var words: (reason: String, detail: String?) {
        switch self {
        case .answered(let answered): (answered.word, answered.logDetail)
        case .unread(let unread): ("refused", unread.cause)
        case .preflight(_, let refusal): ("preflight", refusal?.description)
        }
    }
}

extension LoggedRequest {
    /// The target as lines show it.
    func target(on connection: ClientConnection) -> [UInt8] {
        switch self {
        case .answered(let answered):
            answered.template.map { Array($0.utf8) }
                ?? connection.withHeadBytes { $0.extracting(connection.head.target.range).copy() }
        case .unread(let unread): unread.target
        case .preflight(let path, _): path
        }
    }

    /// `User-Agent`; empty where there is none, or it was not read.
    func agent(on connection: ClientConnection) -> [UInt8] {
        guard case .answered = self, let field = connection.head.fields.first(.userAgent) else { return [] }
        return connection.withHeadBytes { $0.extracting(field.value.range).copy() }
    }
}

extension RequestCondition {
    func holds(for request: LoggedRequest, nanoseconds: Int64, on connection: ClientConnection) -> Bool {
        holds(
            for: request, nanoseconds: nanoseconds, client: connection.client?.name,
            target: { request.target(on: connection) }, agent: { request.agent(on: connection) })
    }
}
