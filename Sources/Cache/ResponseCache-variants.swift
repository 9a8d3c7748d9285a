import HTTP

// Answers that the origin chose by request fields: found in two steps, stored behind a signpost (`VariantSignpost`).
// Must hold: a signpost is never given out as an answer; an answer that does not vary takes the signpost's place.

extension ResponseCache {
    /// The stored response for a request to `key`'s target with these fields, whose ranges count in `bytes`. `key` comes
    /// without a variant and leaves as the one to store and to collapse under. Where there is no signpost it costs what
    /// one look-up costs.
    public func lookup(
        _ key: inout CacheKey, _ reader: StoreReader?, at now: Int64, selecting fields: borrowing Fields,
        _ bytes: Span<UInt8>
    ) -> StoredResponse? {
        guard let found = lookup(key, reader, at: now) else { return nil }
        guard found.isSignpost else { return found }
        guard let variant = VariantSignpost(found.selecting)?.variant(of: fields, bytes) else { return nil }
        key.set(variant: variant)
        return lookup(key, reader, at: now)
    }

    /// Stores an answer to a request that went to the origin with the field lines `forwarded`: at the base key of its target,
    /// or, where the origin chose it by the fields that `vary` names, behind a signpost there, whatever variant its key
    /// came with. Returns it as it was stored.
    @discardableResult
    public func store(
        _ response: StoredResponse, varyingBy vary: ResponseFacts.Vary, forwarded: Span<UInt8>, _ reader: StoreReader?
    ) -> StoredResponse {
        precondition(!vary.isUnbounded, "StoreDecision refuses what varies without bound")
        var key = response.key
        key.set(variant: [])
        if !vary.names.isEmpty {
            let signpost = signpost(vary.names, at: key, for: response, reader)
            guard let variant = signpost.variant(of: forwarded) else { return response }
            key.set(variant: variant)
        }
        let placed = response.moved(to: key)
        store(placed)
        return placed
    }

    /// Whether `stored`, which answers a request to the same target, also answers one that goes to the origin with the field
    /// lines `forwarded`.
    public func isVariant(_ stored: StoredResponse, for forwarded: Span<UInt8>, _ reader: StoreReader?) -> Bool {
        guard !stored.key.variant.isEmpty else { return true }
        var base = stored.key
        base.set(variant: [])
        guard let found = lookup(base, reader, at: stored.receivedAt),
            let variant = VariantSignpost(found.selecting)?.variant(of: forwarded)
        else { return false }
        return stored.key.variant.elementsEqual(variant)
    }

    /// The one of these names that stands at `base`, or a new one in place of what is there.
    private func signpost(
        _ names: [UInt8], at base: CacheKey, for answer: StoredResponse, _ reader: StoreReader?
    ) -> VariantSignpost {
        if let found = lookup(base, reader, at: answer.receivedAt), let signpost = VariantSignpost(found.selecting),
            signpost.names == names
        {
            return signpost
        }
        let signpost = VariantSignpost(names: names)
        store(StoredResponse(signpost: signpost, at: base, for: answer))
        return signpost
    }
}
