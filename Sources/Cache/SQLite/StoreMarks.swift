// Marks that the file keeps besides the answers: facts that must agree with them, the forms of
// request in which no answers are built for a while, and the targets that purges chose.
// Must hold: no loop waits for the disk; a mark is written after the operations queued before it,
// so that no crash leaves it there without what it speaks of; a fact also waits for all purges of
// the file; marks that wait are bounded, and one of a key is the latest.

/// One row of one of the tables of marks.
struct StoreMark: Sendable, Equatable {
    enum Table: CaseIterable {
        /// A fact that the process keeps by name: up to where the purges that nodes share are
        /// applied.
        case fact
        /// Until when no answers are built in a form of request.
        case rest
        /// When a target was purged last.
        case purged

        fileprivate var name: (table: String, key: String, value: String) {
            switch self {
            case .fact: ("fact", "name", "value")
            case .rest: ("rest", "target", "until")
            case .purged: ("purged", "target", "at")
            }
        }
    }

    enum Value: Equatable {
        case text(String)
        /// Unix seconds.
        case time(Int64)
    }

    let table: Table
    let key: [UInt8]
    let value: Value

    fileprivate var byteCount: Int {
        let text = if case .text(let text) = value { text.utf8.count } else { 0 }
        return key.count + text + 128
    }
}

/// Marks that wait to be written.
struct PendingMarks {
    private var marks: [StoreMark.Table: [[UInt8]: StoreMark]] = [:]
    private var byteCount = 0

    /// Beyond it only facts are taken: what rests is known in memory too.
    private static let maxBytes = 256 << 10

    var isEmpty: Bool { marks.isEmpty }
    var all: [StoreMark] { StoreMark.Table.allCases.flatMap { marks[$0].map { Array($0.values) } ?? [] } }

    mutating func add(_ mark: StoreMark) {
        guard mark.table == .fact || byteCount < Self.maxBytes else { return }
        if let older = marks[mark.table, default: [:]].updateValue(mark, forKey: mark.key) {
            byteCount -= older.byteCount
        }
        byteCount += mark.byteCount
    }

    /// Adds marks that are newer than these.
    mutating func add(_ newer: PendingMarks) {
        for mark in newer.all { add(mark) }
    }
}

extension StoreConnection {
    /// Writes marks, and removes those that count no longer. `now` in unix seconds.
    func write(_ marks: [StoreMark], at now: Int64) throws(SQLiteError) {
        guard !marks.isEmpty else { return }
        if marks.contains(where: { $0.table == .rest }) {
            try change("DELETE FROM rest WHERE until <= ?1", until: now)
        }
        for table in StoreMark.Table.allCases {
            let rows = marks.filter { $0.table == table }
            guard !rows.isEmpty else { continue }
            let (name, key, value) = table.name
            // Purges come in any order, and the latest counts.
            let kept = table == .purged ? "max(\(value), excluded.\(value))" : "excluded.\(value)"
            let insert = try Statement(
                database,
                "INSERT INTO \(name) (\(key), \(value)) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET \(value) = \(kept)")
            try change(rows) { (mark) throws(SQLiteError) in
                switch mark.value {
                case .time(let time): try insert.run(.text(mark.key[...]), .integer(time))
                case .text(let text): try insert.run(.text(mark.key[...]), .text(Array(text.utf8)[...]))
                }
            }
        }
        // A purge that counts for all targets need not be noted with each.
        for case .time(let time) in marks.filter({ $0.table == .purged && $0.key.isEmpty }).map(\.value) {
            try change("DELETE FROM purged WHERE target <> '' AND at <= ?1", until: time)
        }
    }

    /// A purge of everything has ended: nothing older is left of which answers could be built.
    func forgetPurged(until time: Int64) throws(SQLiteError) {
        try change("DELETE FROM purged WHERE at <= ?1", until: time)
    }

    /// Ends times in the future: the clock was ahead.
    func capMarks(at now: Int64) throws(SQLiteError) {
        try change("UPDATE purged SET at = ?1 WHERE at > ?1", until: now)
        try change("UPDATE rest SET until = ?1 WHERE until > ?1", until: now + Self.longestRest)
    }

    /// A form rests for as long as an answer of its class is fresh: longer than that hardly any is.
    private static let longestRest: Int64 = 7 * 86_400

    private func change(_ sql: String, until time: Int64) throws(SQLiteError) {
        let statement = try Statement(database, sql)
        try change([time]) { (time) throws(SQLiteError) in try statement.run(.integer(time)) }
    }
}

extension Database {
    /// The marks of a table, the least value first.
    func marks(_ table: StoreMark.Table) throws(SQLiteError) -> [StoreMark] {
        let (name, key, value) = table.name
        var found: [StoreMark] = []
        try Statement(self, "SELECT \(key), \(value) FROM \(name) ORDER BY \(value)").forEachRow([]) { row in
            let value: StoreMark.Value = table == .fact ? .text(row.text(1)) : .time(row.integer(1))
            found.append(StoreMark(table: table, key: row.bytes(0), value: value))
            return true
        }
        return found
    }
}

/// A form in which no answers are built for a while, because one that was built was not what the
/// origin said.
public struct RestingForm: Sendable, Equatable {
    /// The canonical target of a request of the form.
    public let target: [UInt8]
    /// Unix seconds.
    public let until: Int64

    public init(target: [UInt8], until: Int64) {
        self.target = target
        self.until = until
    }
}

extension SQLiteStore {
    /// Writes down that a form rests. Lost with the process where that cannot be written: the code
    /// that composes knows of it.
    public func store(_ form: RestingForm) {
        add(StoreMark(table: .rest, key: form.target, value: .time(form.until)))
    }

    /// Tells which forms rest before what is visited from now on; none where the file cannot be
    /// read. `now` in unix seconds.
    func visitRestingForms(at now: Int64, _ body: @escaping @Sendable (RestingForm) -> Void) {
        visitMarks(.rest) { marks in
            for mark in marks {
                if case .time(let until) = mark.value, until > now { body(RestingForm(target: mark.key, until: until)) }
            }
        }
    }

    /// Keeps `text` as the fact of that name, in place of what it said.
    func keep(_ text: String, as name: String) {
        add(StoreMark(table: .fact, key: Array(name.utf8), value: .text(text)))
    }

    /// Tells what the fact of that name says, on a queue of the file's own: nil where there is
    /// none, or the file cannot be read. What is being written meanwhile may count or not.
    func kept(_ name: String, _ completion: @escaping @Sendable (String?) -> Void) {
        visitMarks(.fact) { marks in
            let mark = marks.first { $0.key.elementsEqual(name.utf8) }
            if case .text(let text) = mark?.value { completion(text) } else { completion(nil) }
        }
    }

    private func visitMarks(_ table: StoreMark.Table, _ body: @escaping @Sendable ([StoreMark]) -> Void) {
        visits.async { @Sendable [self] in
            let isOpen = shared.generation.load(ordering: .acquiring) > 0
            body(isOpen ? (try? openForReading().marks(table)) ?? [] : [])
        }
    }
}
