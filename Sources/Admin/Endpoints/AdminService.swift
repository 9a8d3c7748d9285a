import Cache
import EventLoop
import HTTP
import Proxy
import Server

/// The operator's surface over HTTP: an authorizer in front of `EndpointTable`.
///
/// Confined to its loop.
public final class AdminService: Service {
    let sources: AdminSources
    /// The admin loop's own view of the cache file.
    private(set) lazy var reader = sources.cache.file?.makeReader()
    var authorizer: AdminAuthorizer
    /// The connections whose answers come from elsewhere.
    private var waiting: [Int: ClientConnection] = [:]
    private var lastNumber = 0
    /// Wrong tokens whose answers are late.
    private var delayed = 0
    let timeline: Timeline
    let streams: EventStreams

    /// - Parameter context: of the loop whose connections it will serve; made before that loop runs
    ///   anything else.
    public init(_ sources: AdminSources, _ context: LoopContext) {
        self.sources = sources
        authorizer = AdminAuthorizer(sources.access)
        timeline = Timeline(sources, context)
        let statistics = sources.statistics
        streams = EventStreams(
            timeline: timeline, feed: statistics.feed, tails: statistics.tails, on: context.loop)
    }

    public func drain() {
        streams.end()
    }

    /// The most content that a request may bring, in bytes: a purge names one target at most.
    static let maxContentBytes = 64 << 10

    /// Admits a request by its head, before any content of a stranger is kept, or refuses it.
    public func admits(_ connection: ClientConnection) -> Bool {
        let request = AdminRequest(connection)
        return isAdmitted(request, EndpointTable.row(of: request.path), connection)
    }

    public func handle(_ connection: ClientConnection) {
        let request = AdminRequest(connection)
        let row = EndpointTable.row(of: request.path)
        guard connection.isAdmitted || isAdmitted(request, row, connection), let row else { return }
        guard connection.body.count <= Self.maxContentBytes else {
            return connection.send(.error(413, "The content is too large: \(Self.maxContentBytes) bytes at most."))
        }
        let exchange = AdminExchange(service: self, request: request, connection: connection)
        do throws(AdminRequestError) {
            try row.answer(exchange)()
        } catch {
            exchange.reply(.error(400, error.detail))
        }
    }

    /// Asks the authorizer, once for each request, and answers one that is refused.
    private func isAdmitted(
        _ request: AdminRequest, _ row: EndpointTable.Row?, _ connection: ClientConnection
    ) -> Bool {
        let entry = connection.withHeadBytes { bytes in
            authorizer.entry(for: connection.head, bytes, at: connection.context.loop.now)
        }
        if case .wrongToken = entry {
            refuseLater(connection, .unauthorized(.wrongToken))
            return false
        }
        // Asked of the kernel once: the connection may be closed meanwhile.
        var owner: PeerOwner?
        let refusal = authorizer.refusal(of: request, to: row?.endpoint, entry) {
            let asked = PeerOwner(connection.peer)
            owner = asked
            return asked
        }
        guard refusal == nil, row != nil else {
            let reply = refusal ?? EndpointTable.notFound
            note(reply, owner?.words, connection)
            connection.send(reply)
            return false
        }
        return true
    }

    /// Answers a wrong token late; closes the connection where too many of those answers wait.
    fileprivate func refuseLater(_ connection: ClientConnection, _ reply: AdminReply) {
        note(reply, nil, connection)
        guard delayed < AdminAuthorizer.mostDelayed else { return connection.close() }
        delayed += 1
        let number = hold(connection)
        _ = connection.context.loop.schedule(at: connection.context.loop.now + AdminAuthorizer.delay) { [weak self] in
            self?.delayed -= 1
            self?.finish(number, reply)
        }
    }

    /// Counts an answer that refuses the call, for the operator.
    /// - Parameter user: named in the log where it was asked for; else the address.
    private func note(_ reply: AdminReply, _ user: String?, _ connection: ClientConnection) {
        guard let reason = reply.refusal else { return }
        sources.refusals.note(reason, of: user ?? connection.peer.name, at: connection.context.loop.now)
    }

    fileprivate func hold(_ connection: ClientConnection) -> Int {
        lastNumber += 1
        waiting[lastNumber] = connection
        return lastNumber
    }

    fileprivate func finish(_ number: Int, _ reply: AdminReply) {
        waiting.removeValue(forKey: number)?.send(reply)
    }
}

/// An admitted request on its way to its answer.
struct AdminExchange {
    let service: AdminService
    let request: AdminRequest
    let connection: ClientConnection

    /// Unix seconds.
    var now: Int64 { connection.context.unixSeconds }

    func reply(_ reply: AdminReply) {
        connection.send(reply)
    }

    /// For an answer that comes from elsewhere: call it once, from any thread.
    func replyLater() -> @Sendable (AdminReply) -> Void {
        let loop = connection.context.loop
        let (number, confined) = (service.hold(connection), Confined(service, to: loop))
        return { @Sendable reply in loop.execute { confined.value.finish(number, reply) } }
    }

    /// Answers late, or not at all: for a wrong token.
    func refuseLater(_ reply: AdminReply) {
        service.refuseLater(connection, reply)
    }

    /// The parameters of the query; throws where one is not among `known`.
    func parameters(_ known: [String]) throws(AdminRequestError) -> QueryParameters {
        try QueryParameters(request.query, known: known)
    }
}
