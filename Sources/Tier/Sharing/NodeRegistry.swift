import EventLoop

// The nodes that share the tier: the record of this one, and those read of the others. Pure: `now`
// is passed in.
// Must hold: the engine's clock alone dates the signs of life, so that no node's clock makes
// another one look dead; a node is listed for a day after its last sign, and then its record goes.

struct NodeRegistry: Sendable {
    /// Milliseconds after a sign of life for which a node is taken to be up: five heartbeats.
    static let aliveFor: Int64 = 10_000
    /// Milliseconds after its last sign of life for which a node is known.
    static let keptFor: Int64 = 86_400_000
    /// Another process may write under our name for a moment, such as one of an earlier version
    /// that hands over to this one. After that many replies in a row with its record, it is a
    /// second node.
    static let namesakeThreshold = 3

    var own: NodeIdentity
    private var records: [String: NodeRecord] = [:]
    /// Records of nodes of 1.0.0, which share nothing with this one, by name.
    private var olderNodes: [String: NodeRecord] = [:]
    /// The engine's clock, unix milliseconds, at an instant of ours.
    private var engineClock: (milliseconds: Int64, at: Instant)?
    /// This machine's clock less the engine's.
    private(set) var skew: Duration?
    /// See `NodeRecord.confirmed`.
    var confirmed: LogEpoch?
    private var hasWritten = false
    private var namesakeReplies = 0
    /// The last one that was told of.
    private var toldNamesake: NodeRecord?

    init(_ own: NodeIdentity) { self.own = own }

    /// Whether the engine has told its time. Until then a sign of life asks for that alone.
    var knowsTime: Bool { engineClock != nil }

    /// Whether the engine has said which nodes there are.
    var knowsOthers: Bool { hasWritten }

    /// Another process that is a node of this name, as people read it; nil where there is none.
    var namesake: String? {
        namesakeReplies < Self.namesakeThreshold
            ? nil : records[own.name].map { "process \($0.process) at \($0.address)" }
    }

    /// The engine's clock now, unix milliseconds.
    func engineTime(_ now: Instant) -> Int64? {
        engineClock.map { $0.milliseconds + (now - $0.at).wholeNanoseconds / 1_000_000 }
    }

    // MARK: Signs of life

    /// A sign of life, which also asks for those of the others.
    func heartbeat(_ keys: TierKeys, mark: LogMark?, isReady: Bool, now: Instant) -> [RESPCommand] {
        guard let time = engineTime(now) else { return [RESPCommand("TIME")] }
        var record = NodeRecord(own, seen: time, isReady: isReady, mark: mark)
        record.confirmed = confirmed
        func command(_ name: String, _ words: [String]) -> RESPCommand {
            RESPCommand([Array(name.utf8), keys.nodes] + words.map { Array($0.utf8) })
        }
        let forgotten = records.filter { $0.key != own.name && !isKnown($0.value, time) }.keys.sorted()
        let records = [(own.name, record)] + ahead(now: now)
        // The record under our name is read before it is written.
        return [RESPCommand("TIME"), command("HGETALL", []), command("HSET", records.flatMap { [$0.0, $0.1.text] })]
            + (forgotten.isEmpty ? [] : [command("HDEL", forgotten)])
    }

    /// Asks for the records of nodes of 1.0.0, whose hash is in another slot of a cluster: there
    /// the reply is empty.
    static func olderNodesQuery(_ keys: TierKeys) -> RESPCommand {
        let script = "local r = redis.pcall('HGETALL', ARGV[1]) if r.err then return {} end return r"
        return RESPCommand([Array("EVAL".utf8), Array(script.utf8), Array("0".utf8), keys.untaggedNodes])
    }

    /// Takes this node off the list.
    func farewell(_ keys: TierKeys) -> RESPCommand { RESPCommand("HDEL", keys.nodes, own.name) }

    /// The replies to a heartbeat have come.
    /// - Parameter wall: unix milliseconds of this machine.
    /// - Returns: a process that lives under the same name, once for each.
    mutating func take(_ replies: [RESPReply], wall: Int64, now: Instant) -> NodeRecord? {
        let time = replies.first?.elements?.compactMap {
            $0.bytes.flatMap { Int64(String(decoding: $0, as: UTF8.self)) }
        }
        if let time, time.count == 2, (0...Int64(1) << 40).contains(time[0]), (0..<1_000_000).contains(time[1]) {
            let milliseconds = time[0] * 1000 + time[1] / 1000
            engineClock = (milliseconds, now)
            skew = .milliseconds(wall - milliseconds)
        }
        guard replies.count > 2, let fields = replies[1].elements, fields.count.isMultiple(of: 2) else { return nil }
        records = Self.records(fields)
        return newNamesake()
    }

    /// The reply to `olderNodesQuery` has come.
    mutating func takeOlderNodes(_ reply: RESPReply) { olderNodes = Self.records(reply.elements ?? []) }

    /// The nodes of 1.0.0 that the engine lists, whether or not they are up.
    var olderNodeNames: Set<String> { Set(olderNodes.keys) }

    /// Names and records in turn.
    private static func records(_ fields: [RESPReply]) -> [String: NodeRecord] {
        var records: [String: NodeRecord] = [:]
        for index in stride(from: 0, to: fields.count - 1, by: 2) {
            guard let name = fields[index].bytes, let record = fields[index + 1].bytes.flatMap({ NodeRecord($0) })
            else {
                continue
            }
            records[String(decoding: name, as: UTF8.self)] = record
        }
        return records
    }

    private mutating func newNamesake() -> NodeRecord? {
        defer { hasWritten = true }
        if !hasWritten, let found = records[own.name], found.process == own.predecessor {
            own.predecessorStartedAt = found.startedAt
        }
        guard hasWritten, let found = records[own.name], !found.isOfSameNode(as: own) else {
            namesakeReplies = 0
            return nil
        }
        namesakeReplies += 1
        let isKnown = toldNamesake.map { $0.process == found.process && $0.startedAt == found.startedAt } ?? false
        guard namesakeReplies >= Self.namesakeThreshold, !isKnown else { return nil }
        toldNamesake = found
        return found
    }

    // MARK: The nodes

    /// States of the known nodes, by name; this node's own is of this moment.
    func nodes(mark: LogMark?, isReady: Bool, tail: LogTail, now: Instant) -> [NodeState] {
        let time = engineTime(now) ?? 0
        var all = records.filter { isKnown($0.value, time) }
        all[own.name] = NodeRecord(own, seen: time, isReady: isReady, mark: mark)
        return all.sorted { $0.key < $1.key }.map { name, record in
            let isSelf = name == own.name
            let lag = record.mark.flatMap { $0.epoch == mark?.epoch ? tail.count(beyond: $0.position) : nil }
            return NodeState(
                name: name, address: record.address, version: record.version, isReady: record.isReady, lag: lag,
                lastSeen: record.lastSeen(time), isAlive: isSelf || isAlive(record, time), isSelf: isSelf,
                upstream: record.upstream)
        }
            + livingOlderNodes(now: now).map { name, record in
                NodeState(
                    name: name, address: record.address, version: record.version, isReady: false, lag: nil,
                    lastSeen: record.lastSeen(time), isAlive: false, isSelf: false, upstream: record.upstream,
                    isIncompatible: true)
            }
    }

    /// The nodes that are known, this one included.
    func count(now: Instant) -> Int { 1 + others(now: now).count + livingOlderNodes(now: now).count }

    /// The nodes of 1.0.0 that are up, by name.
    func livingOlderNodes(now: Instant) -> [(name: String, record: NodeRecord)] {
        let time = engineTime(now) ?? 0
        return olderNodes.filter { name, record in
            isAlive(record, time) && name != own.name && !(records[name].map { isAlive($0, time) } ?? false)
        }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// The others that are known.
    func others(now: Instant) -> [NodeRecord] {
        let time = engineTime(now) ?? 0
        return records.filter { $0.key != own.name && isKnown($0.value, time) }.map(\.value)
    }

    /// The others that are not known to have applied the purge at `mark`; all of them without one.
    /// `isAlive`: it may be worth waiting for.
    func missing(_ mark: LogMark?, now: Instant) -> [(node: PurgeReport.MissingNode, isAlive: Bool)] {
        let time = engineTime(now) ?? 0
        let others: [(node: PurgeReport.MissingNode, isAlive: Bool)] = records.compactMap { name, record in
            guard name != own.name, isKnown(record, time), !record.hasApplied(mark) else { return nil }
            let node = PurgeReport.MissingNode(name: name, lastSeen: record.lastSeen(time))
            return (node, isAlive(record, time))
        }
        // Nodes of 1.0.0 never hear of the purge.
        let incompatible = livingOlderNodes(now: now).map { name, record in
            (node: PurgeReport.MissingNode(name: name, lastSeen: record.lastSeen(time)), isAlive: false)
        }
        return (others + incompatible).sorted { $0.node.name < $1.node.name }
    }

    /// The nodes that are up and ask another origin, by name.
    func strangers(now: Instant) -> [String: NodeRecord] {
        let time = engineTime(now) ?? 0
        return records.filter { name, record in
            name != own.name && isAlive(record, time) && !record.upstream.isEmpty && record.upstream != own.upstream
        }
    }

    /// The lines of wanted names of the other nodes that are up and ask this origin.
    func wantedElsewhere(now: Instant) -> [String] {
        let time = engineTime(now) ?? 0
        return records.filter { name, record in
            name != own.name && isAlive(record, time) && record.upstream == own.upstream && !record.wanted.isEmpty
        }.sorted { $0.key < $1.key }.map(\.value.wanted)
    }

    private func isAlive(_ record: NodeRecord, _ time: Int64) -> Bool { time - record.seen <= Self.aliveFor }

    private func isKnown(_ record: NodeRecord, _ time: Int64) -> Bool { time - record.seen <= Self.keptFor }

    /// The records of others that are of a later time than the engine's, as of that time: its clock
    /// was set back. They would seem to be of living nodes until then.
    func ahead(now: Instant) -> [(name: String, record: NodeRecord)] {
        guard let time = engineTime(now) else { return [] }
        return records.filter { $0.key != own.name && $0.value.seen - time > Self.aliveFor }.map { name, record in
            var record = record
            record.seen = time
            return (name, record)
        }
    }
}

extension NodeRecord {
    /// Whole seconds before `time`, both by the engine's clock.
    fileprivate func lastSeen(_ time: Int64) -> Int { Int(max(time - seen, 0) / 1000) }

    fileprivate func hasApplied(_ wanted: LogMark?) -> Bool {
        guard let wanted, let mark else { return false }
        return mark.epoch == wanted.epoch && mark.position >= wanted.position
    }
}
