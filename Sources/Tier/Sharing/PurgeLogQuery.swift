import Text

// Commands that ask for a page of the purge log, and their replies.
// Must hold: all of a page is of one moment; a page that cannot be read is none; a full engine
// gives pages.
//
// The number stored next to the log, drawn at random by the node that finds none, and the engine's
// own mark of its history (`master_replid` of INFO) make the epoch. An engine that was emptied has
// lost the first. A replica that takes over, or an engine that was started anew with the data on
// its disk, has the first and another mark: maybe it lacks the latest purges, and gives their ids
// to others. Redis also draws another mark where a first replica comes, and where the last one has
// been away for an hour (`repl-backlog-ttl`). Where every node finds its place in the log all the
// same, the epoch stays (`LogSuccession`).
//
// Two gaps remain: a hard purge that was lost with an engine is a soft one for nodes that had not
// read it, and a master that was cut off from its replicas goes on for nodes that still reach it:
// they do not hear of purges elsewhere. Where it refuses writes then (`min-replicas-to-write`),
// they say in their logs that they are not listed.

enum PurgeLogQuery {
    enum Answer: Equatable {
        case page(PurgeLogPage)
        /// There is no number next to the log: `beginning` is to be sent, and the page to be asked
        /// for again after a pause.
        case noEpoch
        /// Why there is none, for the log.
        case unusable(String)
    }

    /// A single script: the entry at the node's place, those beyond a position, the stored number,
    /// the facts of the stream, and the engine's mark. A full engine refuses every command between
    /// MULTI and EXEC, and runs scripts that only read.
    static func commands(_ keys: TierKeys, after position: LogPosition, place: LogPosition) -> [RESPCommand] {
        let words = [place.text, "(\(position.text)", "\(PurgeLogPage.mostEntries)"].map { Array($0.utf8) }
        return [
            RESPCommand([Array("EVAL".utf8), Array(pageScript.utf8), Array("2".utf8), keys.purges, keys.epoch] + words)
        ]
    }

    /// Without a stream XINFO is an error, which belongs to the page.
    private static let pageScript = """
        return {redis.call('XRANGE', KEYS[1], ARGV[1], ARGV[1]),
          redis.call('XRANGE', KEYS[1], ARGV[2], '+', 'COUNT', ARGV[3]), redis.call('GET', KEYS[2]),
          redis.pcall('XINFO', 'STREAM', KEYS[1]), redis.call('INFO', 'replication')}
        """

    /// The facts of the stream and the engine's mark alone: where both are those of the last page,
    /// another page would bring nothing.
    static func glance(_ keys: TierKeys) -> [RESPCommand] {
        [RESPCommand("XINFO", "STREAM", keys.purges), RESPCommand("INFO", "replication")]
    }

    /// Begins a life of the log, unless another node just has.
    static func beginning(_ keys: TierKeys) -> RESPCommand {
        RESPCommand("SET", keys.epoch, LogEpoch.random().text, "NX")
    }

    /// Stores another number next to the log, unless another node just has.
    static func replacing(_ stored: LogEpoch, by other: LogEpoch, _ keys: TierKeys) -> RESPCommand {
        let script =
            "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('SET', KEYS[1], ARGV[2]) end return 0"
        let words = ["EVAL", script, "1"].map { Array($0.utf8) }
        return RESPCommand(words + [keys.epoch] + [stored, other].map { Array($0.text.utf8) })
    }

    /// Milliseconds that a replica has to say that it has a purge.
    private static let replicationPatience = 50

    /// Writes a purge to the log, and asks which engines have it; `replication` reads the replies.
    static func announcement(of record: PurgeRecord, _ keys: TierKeys, hasReplica: Bool) -> [RESPCommand] {
        let wait = hasReplica ? [RESPCommand("WAIT", "1", "\(replicationPatience)")] : []
        return [entry(record, keys)] + wait + [RESPCommand("INFO", "replication")]
    }

    static func entry(_ record: PurgeRecord, _ keys: TierKeys) -> RESPCommand {
        RESPCommand([Array("XADD".utf8), keys.purges, Array("*".utf8)] + record.fields)
    }

    static func replication(_ replies: [RESPReply]) -> PurgeReport.Replication {
        if replies.count > 1, let count = replies[1].number, count > 0 { return .acknowledged }
        return replies.last.flatMap { EngineHistory($0) }?.replicas == 0 ? .noReplica : .missed
    }

    static func answer(_ replies: [RESPReply]) -> Answer {
        guard let parts = replies.last?.elements, parts.count == 5 else {
            return .unusable(replies.lazy.compactMap(\.errorCode).first ?? "no page")
        }
        // Without a stream XINFO alone is an error.
        for part in [parts[0], parts[1], parts[2], parts[4]] {
            if let code = part.errorCode { return .unusable(code) }
        }
        if parts[2].isNil { return .noEpoch }
        guard let stored = parts[2].bytes.flatMap({ LogEpoch($0) }), let engine = EngineHistory(parts[4]) else {
            return .unusable("the purge log has no epoch")
        }
        return page(stored, engine, parts)
    }

    private static func page(_ stored: LogEpoch, _ engine: EngineHistory, _ parts: [RESPReply]) -> Answer {
        guard let place = entries(parts[0]), let entries = entries(parts[1]) else { return .unusable("no purge log") }
        let (epoch, info) = (LogEpoch(number: stored.number ^ engine.number), parts[3])
        if let code = info.errorCode {
            guard code == "ERR", entries.isEmpty else { return .unusable(code) }
            return .page(
                PurgeLogPage(
                    epoch: epoch, stored: stored, place: nil, first: nil, last: .start, hasForgotten: false,
                    entries: []))
        }
        guard let last = fact("last-generated-id", in: info)?.bytes.flatMap({ LogPosition($0) }),
            let length = fact("length", in: info)?.number, let added = fact("entries-added", in: info)?.number
        else { return .unusable("the purge log requires an engine of version 7.0 or later") }
        let first = fact("first-entry", in: info)?.elements?.first?.bytes.flatMap { LogPosition($0) }
        return .page(
            PurgeLogPage(
                epoch: epoch, stored: stored, place: place.first, first: first, last: last,
                hasForgotten: added > length, entries: entries))
    }

    private static func entries(_ range: RESPReply) -> [PurgeLogEntry]? {
        guard let elements = range.elements else { return nil }
        var entries: [PurgeLogEntry] = []
        for element in elements {
            guard let parts = element.elements, parts.count == 2, let fields = parts[1].elements,
                let position = parts[0].bytes.flatMap({ LogPosition($0) })
            else { return nil }
            entries.append(PurgeLogEntry(position, PurgeRecord(reading: fields.map { $0.bytes ?? [] }, at: position)))
        }
        return entries
    }

    /// The value of that name in a reply of names and values in turn.
    private static func fact(_ name: String, in info: RESPReply) -> RESPReply? {
        let elements = info.elements ?? []
        let index = stride(from: 0, to: elements.count - 1, by: 2).first { elements[$0] == .bulk(Array(name.utf8)) }
        return index.map { elements[$0 + 1] }
    }
}

/// The end of the log as the engine tells it, without its entries.
struct LogGlance: Equatable {
    /// The facts of the stream: its last id and how many entries were ever added are among them.
    private let stream: RESPReply
    private let engine: EngineHistory

    /// The replies to `PurgeLogQuery.glance`; nil where one cannot be read.
    init?(_ replies: [RESPReply]) {
        guard replies.count == 2, let engine = EngineHistory(replies[1]) else { return nil }
        (stream, self.engine) = (replies[0], engine)
    }

    /// The replies to `PurgeLogQuery.commands`.
    init?(ofPage replies: [RESPReply]) {
        self.init(Array((replies.last?.elements ?? []).suffix(2)))
    }
}

/// The history of writes that an engine has, by `INFO replication`.
struct EngineHistory: Equatable {
    /// Half of `master_replid`, which an engine draws anew when it becomes a master.
    let number: UInt64
    /// Engines that follow it.
    let replicas: Int

    init?(_ reply: RESPReply) {
        guard let lines = reply.bytes?.split(whereSeparator: { $0 == 0x0D || $0 == 0x0A }) else { return nil }
        func value(_ name: String) -> ArraySlice<UInt8>? {
            lines.first { $0.starts(with: name.utf8) }?.dropFirst(name.utf8.count)
        }
        guard let mark = value("master_replid:").flatMap({ LogEpoch($0.prefix(16)) }),
            let replicas = value("connected_slaves:").flatMap({ Int(String(decoding: $0, as: UTF8.self)) })
        else { return nil }
        (number, self.replicas) = (mark.number, replicas)
    }
}
