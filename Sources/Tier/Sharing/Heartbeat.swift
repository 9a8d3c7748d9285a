import EventLoop

/// The signs of life of this node: their times, and the answers to them.
///
/// One is sent every two seconds, after purges, and often while a purge waits for other nodes. The
/// answers also tell that the engine is there.
struct Heartbeat: Sendable {
    private(set) var registry: NodeRegistry
    /// When the next is due; nil while one is on its way.
    private(set) var dueAt: Instant?
    private var isUnderWay = false
    /// Whether there is news since the one that is on its way.
    private var hasNews = false
    /// Why the engine did not take the last one.
    private var refusal: String?
    /// `NodeRecord.confirmed` in the sign that is on its way, and in the last one that the engine
    /// has taken: the records of the others are of that time or later.
    private var saying: LogEpoch?
    private(set) var said: LogEpoch?
    /// Signs so far, and the commands of the one that is on its way if it asks for nodes of 1.0.0.
    private var beats = 0
    private var commandsWithOlderNodes: Int?
    /// Nodes of 1.0.0 that the log has named, as long as the engine lists them.
    private var toldOlderNodes: Set<String> = []
    /// How many signs ask for them once.
    private static let olderNodesInterval = 5
    /// The upstreams of nodes that ask another origin, which the log has named.
    private var toldUpstreams: [String: String] = [:]
    /// The names that clients of the other nodes want, as read last; nil where they are to be told
    /// anew.
    private var wishes: [String]?

    init(of own: NodeIdentity) { registry = NodeRegistry(own) }

    /// The commands of a sign of life; nil where one is on its way: another follows it.
    mutating func beat(_ keys: TierKeys, mark: LogMark?, isReady: Bool, now: Instant) -> [RESPCommand]? {
        dueAt = nil
        hasNews = isUnderWay
        guard !isUnderWay else { return nil }
        (isUnderWay, saying) = (true, registry.confirmed)
        let commands = registry.heartbeat(keys, mark: mark, isReady: isReady, now: now)
        let asksForOlderNodes = registry.knowsTime && beats.isMultiple(of: Self.olderNodesInterval)
        if registry.knowsTime { beats += 1 }
        commandsWithOlderNodes = asksForOlderNodes ? commands.count + 1 : nil
        return asksForOlderNodes ? commands + [NodeRegistry.olderNodesQuery(keys)] : commands
    }

    /// The one that was on its way has ended.
    /// - Parameter isAnswered: false: the engine is away, and news can wait until it is there.
    /// - Returns: whether another is to be sent at once.
    mutating func ended(isAnswered: Bool) -> Bool {
        isUnderWay = false
        return isAnswered && hasNews
    }

    /// Reads the answers of the engine.
    /// - Parameter wall: unix milliseconds of this machine.
    /// - Returns: lines for the log.
    mutating func take(_ replies: [RESPReply], wall: Int64, now: Instant) -> [String] {
        var (lines, replies): ([String], [RESPReply]) = ([], replies)
        let isFirst = !registry.knowsTime
        let olderNodes = replies.count == commandsWithOlderNodes ? replies.popLast() : nil
        if let other = registry.take(replies, wall: wall, now: now) {
            lines.append(
                """
                another process (\(other.process) at \(other.address)) is a node of this name, \
                \(registry.own.name): each node needs a name of its own
                """)
        }
        if let olderNodes { lines += newOlderNodes(olderNodes, now: now) }
        lines += newStrangers(now: now)
        let code = replies.lazy.compactMap(\.errorCode).first
        if let code, code != refusal { lines.append("the engine does not list this node: \(code)") }
        refusal = code
        if replies.count > 2, code == nil { said = saying }
        // Before the first answer a sign of life only asks for the time.
        if isFirst, registry.knowsTime { hasNews = true }
        return lines
    }

    /// Lines about nodes of 1.0.0, once for each while the engine lists it.
    private mutating func newOlderNodes(_ reply: RESPReply, now: Instant) -> [String] {
        registry.takeOlderNodes(reply)
        // An empty list is mostly a refusal.
        if !registry.olderNodeNames.isEmpty { toldOlderNodes.formIntersection(registry.olderNodeNames) }
        return registry.livingOlderNodes(now: now).filter { toldOlderNodes.insert($0.name).inserted }.map {
            name, record in
            """
            node \(name) at \(record.address) is of an older version (\(record.version)), which shares nothing with \
            this one: until it is upgraded, purge it by itself
            """
        }
    }

    /// Lines about nodes that ask another origin, once for each. Without one of its own this node
    /// cannot tell.
    private mutating func newStrangers(now: Instant) -> [String] {
        let strangers = registry.own.upstream.isEmpty ? [:] : registry.strangers(now: now)
        let new = strangers.filter { toldUpstreams[$0.key] != $0.value.upstream }
        toldUpstreams = strangers.mapValues(\.upstream)
        return new.sorted { $0.key < $1.key }.map { name, record in
            """
            node \(name) at \(record.address) has another upstream, \(record.upstream): it shares no answers, limits \
            or users with this node, whose upstream is \(registry.own.upstream), only purges
            """
        }
    }

    /// This node asks another origin from now on.
    mutating func use(_ upstream: String) {
        (registry.own.wanted, wishes) = ("", nil)
        guard upstream != registry.own.upstream else { return }
        registry.own.upstream = upstream
        toldUpstreams = [:]
    }

    /// The names that clients of the other nodes want; nil where they are as they were.
    mutating func newWishes(now: Instant) -> [String]? {
        let wanted = registry.wantedElsewhere(now: now)
        guard wanted != wishes else { return nil }
        wishes = wanted
        return wanted
    }

    /// The next sign says that this node's clients want that.
    mutating func say(wanted: String) { registry.own.wanted = wanted }

    /// Sends the next one then, unless it is scheduled or on its way.
    mutating func schedule(at moment: Instant) {
        if !isUnderWay, dueAt == nil { dueAt = moment }
    }

    mutating func unschedule() { dueAt = nil }

    /// Says from now on that this node has its place in that life of the log; nil: it is in no
    /// doubt. A sign that was sent before says nothing about the new life.
    mutating func confirm(_ epoch: LogEpoch?) {
        guard epoch != registry.confirmed else { return }
        (saying, said) = (nil, nil)
        registry.confirmed = epoch
    }
}
