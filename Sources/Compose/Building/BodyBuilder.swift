import AppleMusic

/// A body that is being put together: the places of its bytes, until all of them are known. They
/// are copied once, into room of just their size; a rewind costs nothing.
///
/// The bounds are those of one answer, which may be made of many that are large.
struct BodyBuilder {
    fileprivate enum Piece {
        case text(StaticString)
        case bytes([UInt8], ByteSpan)
    }

    private var pieces: [Piece] = []

    /// The most bytes of a body: as many as an answer of the origin's may have to be kept (FRAMING
    /// 2.3).
    static let mostBytes = 8 << 20
    /// The most pieces, of 40 bytes each. A hundred albums of twenty songs, each put together of
    /// several, have 20,000.
    static let mostPieces = 1 << 17

    /// How many there are: a place to `rewind` to.
    var count: Int { pieces.count }

    mutating func append(_ text: StaticString) { pieces.append(.text(text)) }

    /// - Parameter span: within `bytes`.
    mutating func append(_ bytes: [UInt8], _ span: ByteSpan) {
        precondition(span.end <= bytes.count, "a piece of other bytes")
        pieces.append(.bytes(bytes, span))
    }

    /// Takes back the pieces after `mark`.
    mutating func rewind(to mark: Int) { pieces.removeSubrange(mark...) }

    /// Whether there are more pieces than a body may have.
    var isTooLong: Bool { pieces.count > Self.mostPieces }

    /// The body; nil where it is too large.
    func joined() -> [UInt8]? {
        let byteCount = pieces.reduce(0) { $0 + $1.byteCount }
        guard byteCount <= Self.mostBytes, !isTooLong else { return nil }
        return Array(unsafeUninitializedCapacity: byteCount) { room, filled in
            for piece in pieces {
                let rest = UnsafeMutableBufferPointer(rebasing: room[filled...])
                filled += piece.copy(to: rest)
            }
        }
    }
}

extension BodyBuilder.Piece {
    fileprivate var byteCount: Int {
        switch self {
        case .text(let text): text.utf8CodeUnitCount
        case .bytes(_, let span): span.count
        }
    }

    /// Into the beginning of `room`; how many bytes.
    fileprivate func copy(to room: UnsafeMutableBufferPointer<UInt8>) -> Int {
        switch self {
        case .text(let text):
            return text.withUTF8Buffer { room.update(fromContentsOf: $0) }
        case .bytes(let bytes, let span):
            return bytes.withUnsafeBufferPointer { room.update(fromContentsOf: $0[span.range]) }
        }
    }
}
