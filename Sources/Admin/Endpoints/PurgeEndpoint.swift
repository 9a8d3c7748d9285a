import Cache
import Text

extension AdminExchange {
    /// `{"purged":N}`.
    func purge() {
        // A selector or a dry run that stands in the wrong place must not become a purge of
        // something else.
        guard request.query == nil else {
            return reply(.error(400, "/purge takes its members as JSON in the content, and no query."))
        }
        do throws(AdminRequestError) {
            let purge = try PurgeRequest(connection.body)
            let finish = replyLater()
            let (log, asked) = (service.sources.log, purge.description)
            service.sources.cache.purge(purge.selection, purge.mode, at: now) { @Sendable count in
                // Someone will miss what was removed, and will want to know since when.
                if let count, purge.mode != .dryRun { log("purged \(count) entries: \(asked)") }
                finish(Self.reply(to: purge.mode, count))
            }
        } catch {
            reply(.error(400, error.detail))
        }
    }

    /// No count means that the cache file refused.
    private static func reply(to mode: PurgeMode, _ count: Int?) -> AdminReply {
        guard let count else {
            let memory = mode == .dryRun ? "" : " Memory alone was purged."
            return .error(503, "The cache file cannot be used now, see the log.\(memory)")
        }
        return .json(["purged": .integer(count)])
    }
}
