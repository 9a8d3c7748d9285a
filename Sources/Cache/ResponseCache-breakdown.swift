extension ResponseCache {
    /// Counts what is stored by class and storefront. Calls `completion` on another queue.
    public func breakdown(_ completion: @escaping @Sendable (StorageBreakdown) -> Void) {
        survey.take(
            { @Sendable [memory, store] in
                var breakdown = StorageBreakdown()
                breakdown.memory = memory.parts
                breakdown.file = store?.records.sizes.map(StorageBreakdown.Part.init) ?? []
                return breakdown
            }, completion)
    }
}

extension MemoryTier {
    fileprivate var parts: [StorageBreakdown.Part] {
        var parts: [String: StorageBreakdown.Part] = [:]
        forEachResponse { response in
            let storefront = String(decoding: response.storefront, as: UTF8.self)
            let name = String(UnicodeScalar(response.classTag)) + storefront
            let empty = StorageBreakdown.Part(
                classTag: response.classTag, storefront: storefront, entries: 0, bytes: 0)
            parts[name, default: empty].entries += 1
            parts[name, default: empty].bytes += response.byteCount
        }
        return parts.values.sorted { ($0.classTag, $0.storefront) < ($1.classTag, $1.storefront) }
    }
}
