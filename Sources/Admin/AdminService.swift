import Cache
import EventLoop
import HTTP
import Proxy
import Server

/// What the operator's surface shows and changes.
public struct AdminSources: Sendable {
    public let statistics: StatisticsSource
    public let cache: ResponseCache
    /// What operators must present.
    public let access: AdminAccess
    /// How reloads of the configuration went.
    public let reloads: ReloadStatus
    /// Of the program.
    public let version: String
    /// When the proxy began, in Unix seconds; the listener may have begun later.
    public let startedAt: Int64
    /// Says what would become of a request; nil where there is no proxy to ask.
    public let explain: @Sendable (HypotheticalRequest, @escaping @Sendable (Explanation?) -> Void) -> Void
    public let recording: RecordingControl
    /// False while the proxy is draining.
    public let isReady: @Sendable () -> Bool
    /// Writes a line to the program's own log, of what an operator has changed.
    public let log: @Sendable (String) -> Void

    public init(
        statistics: StatisticsSource, cache: ResponseCache, access: AdminAccess, reloads: ReloadStatus = ReloadStatus(),
        version: String, startedAt: Int64,
        explain: @escaping @Sendable (HypotheticalRequest, @escaping @Sendable (Explanation?) -> Void) -> Void,
        recording: RecordingControl = RecordingControl(), isReady: @escaping @Sendable () -> Bool,
        log: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.statistics = statistics
        self.cache = cache
        self.access = access
        self.reloads = reloads
        self.version = version
        self.startedAt = startedAt
        self.explain = explain
        self.recording = recording
        self.isReady = isReady
        self.log = log
    }
}

/// The operator's surface over HTTP: an authorizer in front of `AdminEndpoint.table`.
///
/// Who may do what is decided by `AdminAuthorizer`, a value; this class asks it, finds the
/// endpoint, and sends what that replies. Confined to its loop.
public final class AdminService: Service {
    let sources: AdminSources
    /// The admin loop's own view of the cache file.
    private(set) lazy var reader = sources.cache.store?.makeReader()
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
        streams = EventStreams(timeline, sources.statistics.feed, context.loop)
    }

    public func drain() {
        streams.end()
    }

    public func handle(_ connection: ClientConnection) {
        let request = AdminRequest(connection)
        let endpoint = AdminEndpoint.named(request.path)
        let entry = connection.withHeadBytes { bytes in
            authorizer.entry(for: connection.head, bytes, at: connection.context.loop.now)
        }
        if case .wrongToken = entry { return refuseLater(connection, .unauthorized) }
        let refusal = authorizer.refusal(
            of: request, to: endpoint, entry, contentCount: connection.body.count,
            isOwner: { PeerOwner.mayWrite(connection.peer) })
        guard refusal == nil, let endpoint else { return connection.send(refusal ?? .notFound) }
        endpoint.answer(AdminExchange(service: self, request: request, connection: connection))
    }

    /// A client that guesses at tokens gets its answer late, and none at all where many guess at
    /// once.
    fileprivate func refuseLater(_ connection: ClientConnection, _ reply: AdminReply) {
        guard delayed < AdminAuthorizer.mostDelayed else { return connection.close() }
        delayed += 1
        let number = hold(connection)
        _ = connection.context.loop.schedule(at: connection.context.loop.now + AdminAuthorizer.delay) { [weak self] in
            self?.delayed -= 1
            self?.finish(number, reply)
        }
    }

    /// Keeps a connection until its answer is there.
    fileprivate func hold(_ connection: ClientConnection) -> Int {
        lastNumber += 1
        waiting[lastNumber] = connection
        return lastNumber
    }

    fileprivate func finish(_ number: Int, _ reply: AdminReply) {
        waiting.removeValue(forKey: number)?.send(reply)
    }
}

/// One admitted request on its way to its answer.
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

    /// The parameters of the query, of which there are these; an error is answered here.
    func parameters(_ known: [String]) -> QueryParameters? {
        do throws(AdminRequestError) {
            return try QueryParameters(request.query, known: known)
        } catch {
            reply(.error(400, error.detail))
            return nil
        }
    }
}
