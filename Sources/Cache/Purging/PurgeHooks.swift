/// Code of others that purges call.
///
/// A struct holds it, not a `Mutex` of a closure: each look at such a closure wraps it once more,
/// and a call goes through all wrappings.
struct PurgeHooks: Sendable {
    /// Told of purged answers; nil until there is one to tell.
    var purged: ResponseCache.PurgedHook?
    /// Another process that still answers from its copy of the cache; nil where there is none.
    var otherProcess: ResponseCache.OtherProcess?
}
