// A walk through the answers of the file, newest first: what was learnt from them when they came is
// learnt again after a start. Must hold: it runs on a queue of its own and reads through a
// connection of its own, in pieces. A piece ends its read transaction before any code looks at what
// was read, so neither a loop nor the writer waits for it and the log can be reset between pieces.
// It yields only what the checksum vouches for, and nothing that is about to be replaced or
// removed. It does not meet what is stored while it goes on: the code that stores an answer knows
// of it.

struct StoreVisit {
    /// A piece of rows, the newest first.
    private struct Piece {
        var responses: [StoredResponse] = []
        var rows = 0
        /// The last row that was read.
        var last: Int64 = 0
    }

    /// The most rows of a piece, and the bytes of bodies after which it ends.
    static let pieceRows = 64
    static let pieceBytes = 1 << 20

    private let store: SQLiteStore
    /// The number of the file that is gone through; 0 for none. When another is opened the walk is
    /// over.
    private let generation: Int
    /// The answers that `body` got.
    private(set) var visited = 0

    init(_ store: SQLiteStore) {
        self.store = store
        generation = store.shared.generation.load(ordering: .acquiring)
    }

    /// Calls `body` with answer after answer until it returns false, the file ends, or it fails.
    mutating func run(_ body: (StoredResponse) -> Bool) {
        guard generation > 0 else { return }
        do throws(SQLiteError) {
            let database = try store.openForReading()
            try run(try Statement(database, StoredRow.selectBelow), body)
        } catch {
            store.noteFailedRead(error, generation: generation)
        }
    }

    private mutating func run(_ select: Statement, _ body: (StoredResponse) -> Bool) throws(SQLiteError) {
        var below = Int64.max
        while store.shared.generation.load(ordering: .acquiring) == generation {
            let piece = try piece(select, below: below)
            for response in piece.responses where isCurrent(response) {
                visited += 1
                guard body(response) else { return }
            }
            guard piece.rows > 0 else { return }
            below = piece.last
        }
    }

    private func piece(_ select: Statement, below row: Int64) throws(SQLiteError) -> Piece {
        var (piece, rows): (Piece, [StoredRow]) = (Piece(), [])
        var bytes = 0
        try select.forEachRow([.integer(row), .integer(Int64(Self.pieceRows))]) { row in
            let found = StoredRow(row)
            piece.rows += 1
            piece.last = found.id
            rows.append(found)
            bytes += found.place?.span ?? 0
            return bytes < Self.pieceBytes
        }
        for row in rows {
            // A damaged row is left to the look-up that meets it.
            let found = try store.contentIfReadable(of: row, generation)
            if case .response(let response) = found { piece.responses.append(response) }
        }
        return piece
    }

    /// Whether the file is to keep it as it was read.
    private func isCurrent(_ response: StoredResponse) -> Bool {
        let index = SQLiteStore.index(of: response.key)
        return store.shared.pending.withLock { $0.operation(index) } == nil
            && store.shared.owed.applied(to: response) === response
    }
}

extension SQLiteStore {
    /// Goes through the answers in the file, those written last first and each once, in the
    /// background: `body` gets one after the other, fresh or not, until it returns false; then
    /// `completion` is told how many it got. Both run on a queue of the walk's own. Where the file
    /// cannot be read it ends early. What `body` gets may have been removed since it was read.
    func visit(
        _ body: @escaping @Sendable (StoredResponse) -> Bool,
        _ completion: @escaping @Sendable (_ visited: Int) -> Void = { _ in }
    ) {
        visits.async { @Sendable [self] in
            var visit = StoreVisit(self)
            visit.run(body)
            completion(visit.visited)
        }
    }
}
