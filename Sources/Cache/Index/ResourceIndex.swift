/// Where resources stand in stored answers.
public final class ResourceIndex: Sendable {
    /// One place where something stands.
    public struct Source: Sendable {
        /// The answer that held it when it was added; it may be gone by now, or be another one.
        public let key: CacheKey
        /// Which part of the answer: the caller's own numbering, to be checked by who uses it.
        public let place: UInt32
    }

    public init(maxBytes: Int) {}

    /// Notes that the answer under `key` holds these.
    public func add(_ key: CacheKey, _ entries: [(number: UInt64, place: UInt32)]) {}

    /// The sources of `number`, the latest first.
    public func sources(of number: UInt64) -> [Source] { [] }
}
