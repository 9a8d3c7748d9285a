import Cache
import EventLoop
import Proxy
import Server

/// State of the operator's surface that endpoints use: sources, sessions, and the connections whose
/// answers come from elsewhere.
///
/// Confined to its loop.
final class AdminSurface {
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

    init(_ sources: AdminSources, _ context: LoopContext) {
        self.sources = sources
        authorizer = AdminAuthorizer(sources.access)
        timeline = Timeline(sources, context)
        let statistics = sources.statistics
        streams = EventStreams(
            timeline: timeline, feed: statistics.feed, tails: statistics.tails, on: context.loop)
    }

    /// Answers a wrong token late; closes the connection where too many of those answers wait.
    func refuseLater(_ connection: ClientConnection, _ reply: AdminReply) {
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
    func note(_ reply: AdminReply, _ user: String?, _ connection: ClientConnection) {
        guard let reason = reply.refusal else { return }
        sources.refusals.note(reason, of: user ?? connection.peer.name, at: connection.context.loop.now)
    }

    /// Keeps a connection until `finish`; returns its number.
    func hold(_ connection: ClientConnection) -> Int {
        lastNumber += 1
        waiting[lastNumber] = connection
        return lastNumber
    }

    func finish(_ number: Int, _ reply: AdminReply) {
        waiting.removeValue(forKey: number)?.send(reply)
    }
}

extension ConnectionPeer {
    /// Address or user, for the log.
    var name: String { address?.host ?? unixUserID.map { "user \($0)" } ?? "an unknown user" }
}
