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
        /// Whether more than the request's fields chose the answer: `*`, or a word that is no field
        /// name, which is taken for it.
        private var namesAnything = false
        /// Whether `Authorization` is named, which is not written down.
        private var namesAuthorization = false
        /// Whether there are more names than are kept.
        private var hasTooMany = false

        /// The most names, and the most bytes of `names`.
        static let (maxCount, maxBytes) = (16, 512)

        /// None.
        public init() {}

        /// Whether the answer depends on fields that a key cannot hold.
        public var isUnbounded: Bool { namesAnything || namesAuthorization || hasTooMany }

        /// Adds the names of one more line.
        mutating func merge(_ value: Span<UInt8>) {
            var all = Set(names.split(separator: UInt8(ascii: ",")).map(Array.init))
            var elements = ListElements(of: value)
            while let name = elements.next(in: value)?.range {
                let id = FieldName.named(value, name)
                if Self.isAlike(id) { continue }
                if id == .authorization {
                    namesAuthorization = true
                } else if value.isToken(name), !value.equals(name, "*") {
                    all.insert(value.lowercased(name))
                } else {
                    namesAnything = true
                }
            }
            let sorted = all.sorted { $0.lexicographicallyPrecedes($1) }
            let joined = Array(sorted.joined(separator: [UInt8(ascii: ",")]))
            if all.count > Self.maxCount || joined.count > Self.maxBytes { hasTooMany = true } else { names = joined }
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

        /// The request fields by which the variants of a target are told apart under a rule.
        ///
        /// Under an operator's rule there are none: no field of a client's goes to the origin, so
        /// none chose the answer, whatever the origin names (DECISIONS 4.7).
        public func selecting(under rule: TTLRule) -> Vary { rule.followsOrigin ? self : Vary() }

        /// Whether the key tells apart everything that chose the answer.
        /// - Parameter request: as the origin saw it. Under an operator's rule a client's token is
        ///   the only field of a client's that may go along.
        func isAccounted(under rule: TTLRule, _ request: RequestFacts) -> Bool {
            rule.followsOrigin
                ? !isUnbounded : !namesAnything && !(namesAuthorization && request.requestCarriedAuthorization)
        }
    }
}
