import Freshness

// A signpost as an entry: without content, at the base key of its target.

extension StoredResponse {
    /// Whether it is no answer but says where the answers are.
    var isSignpost: Bool { !selecting.isEmpty }

    /// The signpost at the base key of `answer`, which is among its variants. It outlives them all;
    /// eviction takes it, or an answer that does not vary.
    convenience init(signpost: VariantSignpost, at base: CacheKey, for answer: StoredResponse) {
        self.init(
            restoring: base, status: 300, fields: [], content: .plain([]), receivedAt: answer.receivedAt,
            lifetime: Lifetime(freshFor: 0, keepFor: Lifetime.longest), classTag: answer.classTag,
            storefront: answer.storefront, selecting: signpost.selecting)
    }

    /// The same under another key.
    func moved(to key: CacheKey) -> StoredResponse {
        key == self.key ? self : copy(at: key)
    }
}
