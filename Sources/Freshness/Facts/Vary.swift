import HTTP

// The request fields by which the origin chose an answer (RFC 9110 12.5.5).
// Must hold: a field that is not named here is the same in every request that an answer may be
// stored for; names are bounded.

extension ResponseFacts {
    /// The request fields that `Vary` names, apart from those that no request whose answer may be
    /// shared carries to the origin, or that it carries always alike.
    public struct Vary: Sendable, Equatable {
        /// In lower case, ascending, each once, separated by commas: the same for the same set of
        /// names.
        public private(set) var names: [UInt8] = []
        /// Whether the answer depends on fields that a key cannot hold: `*`, Authorization, which
        /// is not written down, a word that is no field name, or more names than are kept.
        public private(set) var isUnbounded = false

        /// The most names, and the most bytes of `names`.
        static let (maxCount, maxBytes) = (16, 512)

        /// None.
        public init() {}

        /// Adds the names of one more line.
        mutating func merge(_ value: Span<UInt8>) {
            var all = Set(names.split(separator: UInt8(ascii: ",")).map(Array.init))
            var elements = ListElements(of: value)
            while let name = elements.next(in: value)?.range {
                let id = FieldName.named(value, name)
                if Self.isAlike(id) { continue }
                guard id != .authorization, value.isToken(name), !value.equals(name, "*") else {
                    isUnbounded = true
                    continue
                }
                all.insert(value.lowercased(name))
            }
            let sorted = all.sorted { $0.lexicographicallyPrecedes($1) }
            let joined = Array(sorted.joined(separator: [UInt8(ascii: ",")]))
            if all.count > Self.maxCount || joined.count > Self.maxBytes { isUnbounded = true } else { names = joined }
        }

        /// Fields that end at the proxy, that it writes itself, or that it leaves out where answers
        /// are shared.
        private static func isAlike(_ id: FieldName) -> Bool {
            switch id {
            case .acceptEncoding, .cookie, .origin, .musicUserToken, .host, .expect, .via, .forwarded, .xForwardedFor,
                .xRefrainKey:
                true
            default: id.isHopByHop
            }
        }

        /// Whether the key can tell apart the fields that it depends on. Under an operator's rule
        /// none of the client's fields goes to the origin and no variants are kept.
        func isAccounted(under rule: TTLRule) -> Bool {
            !isUnbounded && (names.isEmpty || rule.followsOrigin)
        }
    }
}
