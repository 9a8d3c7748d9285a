import Cache
import EventLoop
import Proxy
import Purging
import Server
import Store
import Synchronization
import Text
import Tier

extension AdminExchange {
    /// `{"purged":N}`, and the same as `would_purge` of a dry run; with other nodes also which of
    /// them it has reached: no number where the nodes are unknown.
    ///
    /// With `"wait":false` a 202 and `{"accepted":true}`, as soon as neither a restart nor a loss
    /// of power can undo the purge; with other nodes also whether the log has it. Which of them it
    /// has reached is not known then.
    func purge() throws(AdminRequestError) {
        // A selector or `dry_run` in the query must not become a purge of something else.
        guard request.query == nil else {
            return reply(.error(400, "/purge takes a JSON object as content, and no query."))
        }
        let purge = try PurgeRequest(connection.body)
        let finish = replyLater()
        let lines = PurgeLines(of: purge, by: connection.peer.name, surface.sources.log)
        let accept: @Sendable (AdminReply) -> Void = { reply in
            if purge.waits { return }
            lines.noteAccepted()
            finish(reply)
        }
        // The first of two replies is the answer: the cache may count first.
        guard let node = surface.sources.node else {
            let durable: @Sendable () -> Void = { accept(Self.accepted()) }
            surface.sources.cache.purge(purge.selection, purge.mode, at: now, durable: durable) { @Sendable count in
                lines.note(count)
                finish(Self.reply(to: purge, count))
            }
            return
        }
        let durable: @Sendable (PurgeReport) -> Void = { accept(Self.accepted($0, Self.refusal(of: $0, node))) }
        node.purge(purge.selection, purge.mode, durable: durable) { @Sendable report in
            lines.note(report.purged)
            finish(Self.reply(to: purge, report, Self.refusal(of: report, node)))
        }
    }

    /// The engine's words, where it answers and does not take the purge into the log.
    private static func refusal(of report: PurgeReport, _ node: ProxyNode) -> String? {
        guard report.replication == .unlogged else { return nil }
        return node.status.refusals.first { $0.commands.contains("XADD") }?.latest.words
    }

    /// No count means that the cache file refused.
    private static func reply(to purge: PurgeRequest, _ count: Int?) -> AdminReply {
        guard let count else {
            let memory = purge.mode == .dryRun ? "" : " Only memory was purged."
            return .error(503, "The cache file is unavailable; see the log.\(memory)")
        }
        guard purge.waits else { return accepted() }
        // Scripts read `purged` after a dry run too, so it stays.
        let counted: JSON = ["purged": .integer(count), "would_purge": .integer(count)]
        return .json(purge.mode == .dryRun ? counted : ["purged": .integer(count)])
    }

    private static func reply(to purge: PurgeRequest, _ report: PurgeReport, _ refusal: String?) -> AdminReply {
        guard let count = report.purged, purge.mode != .dryRun else { return reply(to: purge, report.purged) }
        guard purge.waits else { return accepted(report, refusal) }
        let missing = report.missing.map { ["name": .string($0.name), "last_seen": .integer($0.lastSeen)] as JSON }
        let members: KeyValuePairs<String, JSON> = [
            "purged": .integer(count), "nodes": report.nodes.map(JSON.integer) ?? .null,
            "reached": report.reached.map(JSON.integer) ?? .null,
            "missing": .array(missing), "replicated": .bool(report.replicated),
            "logged": .bool(report.replication != .unlogged), "widened": .bool(report.isWidened),
        ]
        return .json(Self.json(members, refusal))
    }

    private static func json(_ members: KeyValuePairs<String, JSON>, _ refusal: String?) -> JSON {
        var object = JSONObject(members)
        if let refusal { object.append("refused", .string(refusal)) }
        return .object(object)
    }

    private static func accepted(_ report: PurgeReport, _ refusal: String?) -> AdminReply {
        let members: KeyValuePairs<String, JSON> = [
            "accepted": true, "nodes": report.nodes.map(JSON.integer) ?? .null, "reached": .null, "missing": .null,
            "replicated": .bool(report.replicated), "logged": .bool(report.replication != .unlogged),
            "widened": .bool(report.isWidened),
        ]
        return accepted(json(members, refusal))
    }

    private static func accepted(_ members: JSON = ["accepted": true]) -> AdminReply {
        var reply = AdminReply.json(members)
        reply.status = 202
        return reply
    }
}

/// The lines of a purge in the log: operators look for the time when answers went.
private final class PurgeLines: Sendable {
    private let log: @Sendable (String) -> Void
    private let purge: PurgeRequest
    private let caller: String
    private let isCounted = Mutex(false)

    init(of purge: PurgeRequest, by caller: String, _ log: @escaping @Sendable (String) -> Void) {
        (self.purge, self.caller, self.log) = (purge, caller, log)
    }

    /// Says that the purge is in effect. Its count is to come, unless the process is killed or
    /// replaced before.
    func noteAccepted() {
        isCounted.withLock { isCounted in
            if !isCounted { log("purge accepted, requested by \(caller): \(purge.description)") }
        }
    }

    /// Says how many answers it chose; no number means that the cache file refused.
    func note(_ count: Int?) {
        if purge.mode == .dryRun { return }
        let chosen = count.map { "\($0) \($0 == 1 ? "entry" : "entries")" } ?? "an unknown number of entries"
        isCounted.withLock { isCounted in
            isCounted = true
            log("purged \(chosen), requested by \(caller): \(purge.description)")
        }
    }
}
