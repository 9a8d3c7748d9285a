import Cache
import EventLoop
import Server

/// The cache, the clock and the counters, as one loop uses them.
///
/// Confined to its loop. A hit reads constants of a class: they cost it no counting of references.
final class LoopBase {
    let cache: ResponseCache
    let reader: FileReader?
    let context: LoopContext
    let statistics: Statistics
    private var room = HeapRoom()

    init(_ cache: ResponseCache, _ reader: FileReader?, _ context: LoopContext, _ statistics: Statistics) {
        (self.cache, self.reader) = (cache, reader)
        (self.context, self.statistics) = (context, statistics)
    }

    var loop: EventLoop { context.loop }
    var now: Instant { context.loop.now }
    var unixSeconds: Int64 { context.unixSeconds }

    @inline(__always)
    func lookup(_ key: CacheKey) -> StoredResponse? { cache.lookup(key, reader, at: unixSeconds) }
    func peek(_ key: CacheKey) -> StoredResponse? { cache.peek(key, reader, at: unixSeconds) }

    /// Tells that an answer is kept.
    func noteKept(_ response: StoredResponse) { room.note(response.byteCount) }
}
