import AppleMusic
import Cache

// Answers as sources, apart from all else that is stored.

extension ResourceLibrary {
    /// Room for the parts of an answer that is verified.
    private static let bytesApart = 12 << 20

    /// These answers alone as sources, as if nothing else were stored. Nothing is learnt from them.
    package func sources(
        holding answers: [StoredResponse], for request: CatalogRequest, at now: Int64
    ) -> StoredSources {
        let cache = ResponseCache(memory: MemoryTier(maxBytes: Self.bytesApart), store: nil)
        let library = ResourceLibrary(cache, classes, settings)
        for part in answers.compactMap({ StoredSource(scanning: $0) }) {
            cache.store(part.response)
            library.note(part.response, at: now)
        }
        return library.sources(nil, for: request, at: now, isPeeking: true)
    }
}
