import HTTP

// Answers that the origin chose by request fields: found in two steps, stored behind a signpost
// (`VariantSignpost`). Must hold: a signpost is never given out as an answer; an answer that does
// not vary takes the signpost's place.

extension ResponseCache {
    /// The stored response for a request to `key`'s target with these fields, whose ranges count in
    /// `bytes`. `key` comes without a variant and leaves as the one to store and to collapse under.
    /// Where there is no signpost it costs what one look-up costs.
    public func lookup(
        _ key: inout CacheKey, _ reader: StoreReader?, at now: Int64, selecting fields: borrowing Fields,
        _ bytes: Span<UInt8>
    ) -> StoredResponse? {
        guard let found = lookup(key, reader, at: now) else { return nil }
        guard found.isSignpost else { return found }
        guard let signpost = VariantSignpost(found.selecting), let variant = signpost.variant(of: fields, bytes) else {
            return nil
        }
        let base = key
        key.set(variant: variant)
        let exact = lookup(key, reader, at: now)
        if let exact, exact.isFresh(at: now) { return exact }
        guard let (language, variant) = signpost.wanted(by: fields, bytes) else { return exact }
        var other = base
        other.set(variant: variant)
        guard let found = lookup(other, reader, at: now), found.isFresh(at: now), found.language == language else {
            return exact
        }
        key = other
        return found
    }

    /// Stores an answer to a request that went to the origin with the field lines `forwarded`: at
    /// the base key of its target, or, where the origin chose it by the fields that `vary` names,
    /// behind a signpost there, whatever variant its key came with. Returns it as it was stored.
    @discardableResult
    public func store(
        _ response: StoredResponse, varyingBy vary: ResponseFacts.Vary, forwarded: Span<UInt8>, _ reader: StoreReader?
    ) -> StoredResponse {
        precondition(!vary.isUnbounded, "StoreDecision refuses what varies without bound")
        if vary.names.isEmpty, response.key.variant.isEmpty {
            store(response)
            return response
        }
        var key = response.key
        key.set(variant: [])
        if !vary.names.isEmpty {
            let (signpost, isNew) = signpost(vary.names, at: key, for: response, reader)
            guard let variant = signpost.variant(of: forwarded) else { return response }
            put(signpost, isNew: isNew, with: variant, at: key, for: response)
            key.set(variant: variant)
        }
        let placed = response.moved(to: key)
        store(placed)
        return placed
    }

    /// Whether `stored`, which answers a request to the same target, also answers one that goes to
    /// the origin with the field lines `forwarded`.
    public func isVariant(_ stored: StoredResponse, for forwarded: Span<UInt8>, _ reader: StoreReader?) -> Bool {
        guard !stored.key.variant.isEmpty else { return true }
        var base = stored.key
        base.set(variant: [])
        guard let found = lookup(base, reader, at: stored.receivedAt),
            let variant = VariantSignpost(found.selecting)?.variant(of: forwarded)
        else { return false }
        return stored.key.variant.elementsEqual(variant)
    }

    /// The one of these names that stands at `base`, or a new one to take the place of what is
    /// there.
    private func signpost(
        _ names: [UInt8], at base: CacheKey, for answer: StoredResponse, _ reader: StoreReader?
    ) -> (VariantSignpost, isNew: Bool) {
        if let found = lookup(base, reader, at: answer.receivedAt), let signpost = VariantSignpost(found.selecting),
            signpost.names == names
        {
            return (signpost, false)
        }
        return (VariantSignpost(names: names), true)
    }

    /// Puts `signpost` up at `base`, unless it stands there and says all that there is to say about
    /// `answer`.
    private func put(
        _ signpost: VariantSignpost, isNew: Bool, with variant: [UInt8], at base: CacheKey, for answer: StoredResponse
    ) {
        var completed = signpost
        if signpost.isAboutLanguageAlone, let language = answer.language { completed.languages.note(language, variant) }
        guard isNew || completed != signpost else { return }
        store(StoredResponse(signpost: completed, at: base, for: answer))
    }
}
