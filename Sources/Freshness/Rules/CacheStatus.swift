import HTTP

/// The member of one cache for one answer in the field `Cache-Status` (RFC 9211).
public enum CacheStatus: Sendable, Equatable {
    /// From the cache; `ttl` in seconds, negative for a stale answer, whose reason is the detail.
    case hit(ttl: Int, detail: Reason?)
    case forwarded(Forwarded)
    /// Neither from the cache nor from the origin.
    case refused(Reason)

    /// The facts of a request that went to the origin.
    public struct Forwarded: Sendable, Equatable {
        public enum Storing: Sendable, Equatable {
            /// `ttl` in seconds; the detail says that it was confirmed by a 304, or how it was
            /// composed.
            case stored(ttl: Int, detail: Reason?)
            /// Why the answer was not stored, or was not the origin's; nil where another program's
            /// cache does not say.
            case no(Reason?)
        }

        /// Why the origin was asked.
        public let reason: Reason
        /// The origin's status; nil when it gave none.
        public let status: Int?
        public let storing: Storing
        /// Whether another client's request brought the answer.
        public let isCollapsed: Bool

        public init(reason: Reason, status: Int?, storing: Storing, isCollapsed: Bool = false) {
            (self.reason, self.status, self.storing, self.isCollapsed) = (reason, status, storing, isCollapsed)
        }

        public var detail: Reason? {
            switch storing {
            case .stored(_, let detail), .no(let detail): detail
            }
        }
    }

    /// Whether the answer was kept when it was fetched.
    public var isStored: Bool {
        if case .forwarded(let forwarded) = self, case .stored = forwarded.storing { true } else { false }
    }

    /// Whether the answer was, or is now, in the cache.
    var isKept: Bool {
        switch self {
        case .hit: true
        case .forwarded(let forwarded): isStored || forwarded.detail == .staleIfError
        case .refused: false
        }
    }

    /// For how many seconds the answer had been stale when it was handed on, at least 1; nil where
    /// it was fresh. A hit without time left has just gone stale; an answer that was stored without
    /// any may have come so from an origin whose fields do not count here.
    var staleFor: Int? {
        switch self {
        case .hit(let ttl, _): return ttl <= 0 ? max(-ttl, 1) : nil
        case .forwarded(let forwarded):
            if forwarded.detail == .staleIfError { return 1 }
            guard case .stored(let ttl, _) = forwarded.storing, ttl < 0 else { return nil }
            return -ttl
        case .refused: return nil
        }
    }
}

// MARK: Writing

extension CacheStatus {
    public func write(to buffer: inout ByteBuffer) {
        switch self {
        case .hit(let ttl, let detail):
            buffer.append("Cache-Status: refrain; hit; ttl=")
            Self.write(ttl: ttl, detail, to: &buffer)
        case .forwarded(let forwarded):
            buffer.append("Cache-Status: refrain; fwd=")
            forwarded.write(to: &buffer)
        case .refused(let reason):
            buffer.append("Cache-Status: refrain; detail=")
            buffer.append(reason.text)
        }
        buffer.append("\r\n")
    }

    fileprivate static func write(ttl: Int, _ detail: Reason?, to buffer: inout ByteBuffer) {
        if ttl < 0 { buffer.append("-") }
        buffer.append(decimal: abs(ttl))
        write(detail, to: &buffer)
    }

    fileprivate static func write(_ detail: Reason?, to buffer: inout ByteBuffer) {
        guard let detail else { return }
        buffer.append("; detail=")
        buffer.append(detail.text)
    }
}

extension CacheStatus.Forwarded {
    fileprivate func write(to buffer: inout ByteBuffer) {
        buffer.append(Reason.Forward.words[reason.forward])
        if let status {
            buffer.append("; fwd-status=")
            buffer.append(decimal: status)
        }
        if isCollapsed { buffer.append("; collapsed") }
        switch storing {
        case .stored(let ttl, let detail):
            buffer.append("; stored; ttl=")
            CacheStatus.write(ttl: ttl, detail, to: &buffer)
        case .no(let detail):
            CacheStatus.write(detail, to: &buffer)
        }
    }
}

// MARK: Reading

extension CacheStatus {
    /// Reads the member of the nearest cache that an answer came through, which comes last.
    public init?(nearest bytes: Span<UInt8>, _ value: ByteRange) {
        var (members, last) = (ListElements(value), ByteRange?.none)
        while let member = members.next(in: bytes) { last = member }
        guard let last else { return nil }
        self.init(bytes, last.range)
    }

    /// The part of one cache of this program; nil for that of another.
    init?(ofRefrain bytes: Span<UInt8>, _ member: Range<Int>) {
        let end = member.first { bytes[$0] == UInt8(ascii: ";") } ?? member.upperBound
        guard bytes.equals(bytes.trimmingWhitespace(member.lowerBound..<end), "refrain") else { return nil }
        self.init(bytes, member)
    }

    /// The part of one cache; nil where it says neither that it answered nor why not. Parameters
    /// and words that are unknown are passed over.
    private init?(_ bytes: Span<UInt8>, _ member: Range<Int>) {
        let said = Parameters(bytes, member)
        if said.isHit {
            self = .hit(ttl: said.ttl ?? .max, detail: said.detail)
        } else if let forward = said.forward {
            // The detail tells apart reasons that have one word.
            let reason = said.detail.flatMap { $0.isBypass && $0.forward == forward ? $0 : nil } ?? forward.reason
            let storing: Forwarded.Storing =
                said.isStored ? .stored(ttl: said.ttl ?? .max, detail: said.detail) : .no(said.detail)
            self = .forwarded(
                Forwarded(reason: reason, status: said.status, storing: storing, isCollapsed: said.isCollapsed))
        } else if let detail = said.detail {
            self = .refused(detail)
        } else {
            return nil
        }
    }

    /// The parameters of one cache's part.
    private struct Parameters {
        private(set) var isHit = false
        private(set) var isStored = false
        private(set) var isCollapsed = false
        private(set) var forward: Reason.Forward?
        private(set) var status: Int?
        private(set) var ttl: Int?
        private(set) var detail: Reason?

        init(_ bytes: Span<UInt8>, _ member: Range<Int>) {
            // The name comes first, and is no parameter.
            var end = bytes.firstUnquoted(UInt8(ascii: ";"), in: member)
            while end < member.upperBound {
                let start = end + 1
                end = bytes.firstUnquoted(UInt8(ascii: ";"), in: start..<member.upperBound)
                take(bytes, bytes.trimmingWhitespace(start..<end))
            }
        }

        private mutating func take(_ bytes: Span<UInt8>, _ parameter: Range<Int>) {
            if bytes.equals(parameter, "hit") { isHit = true }
            if bytes.equals(parameter, "stored") { isStored = true }
            if bytes.equals(parameter, "collapsed") { isCollapsed = true }
            if let word = Self.value("fwd=", bytes, parameter) {
                forward = Reason.Forward.words.find(Self.text(bytes, word)) ?? .uriMiss
            }
            if let digits = Self.value("fwd-status=", bytes, parameter) { status = Decimal.parse(bytes, digits) }
            if let word = Self.value("detail=", bytes, parameter) { detail = Reason(text: Self.text(bytes, word)) }
            if let digits = Self.value("ttl=-", bytes, parameter) {
                ttl = DeltaSeconds.parse(bytes, digits).map { -$0 }
            } else if let digits = Self.value("ttl=", bytes, parameter) {
                ttl = DeltaSeconds.parse(bytes, digits)
            }
        }

        private static func text(_ bytes: Span<UInt8>, _ range: Range<Int>) -> String {
            String(decoding: bytes.extracting(range).copy(), as: UTF8.self)
        }

        /// The bytes after `name`; nil where the parameter does not begin so.
        private static func value(
            _ name: StaticString, _ bytes: Span<UInt8>, _ parameter: Range<Int>
        ) -> Range<Int>? {
            let end = parameter.lowerBound + name.utf8CodeUnitCount
            guard end <= parameter.upperBound, bytes.equals(parameter.lowerBound..<end, name) else { return nil }
            return end..<parameter.upperBound
        }
    }
}
