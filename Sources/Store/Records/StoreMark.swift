/// One row of one of the tables of marks: what the file keeps besides records.
public struct StoreMark: Sendable, Equatable {
    public enum Table: CaseIterable, Sendable {
        /// A fact that the process keeps by name: up to where the purges that nodes share are
        /// applied.
        case fact
        /// Until when no answers are built in a form of request.
        case rest
        /// When a target or a selection was purged last; an empty key means all.
        case purged
    }

    public enum Value: Sendable, Equatable {
        case text(String)
        /// Unix seconds.
        case time(Int64)
    }

    let table: Table
    public let key: [UInt8]
    public let value: Value

    public init(table: Table, key: [UInt8], value: Value) {
        (self.table, self.key, self.value) = (table, key, value)
    }

    /// The same of a later time.
    func later(by seconds: Int64) -> StoreMark {
        guard seconds != 0, case .time(let time) = value else { return self }
        return StoreMark(table: table, key: key, value: .time(time &+ seconds))
    }

    var byteCount: Int {
        let text = if case .text(let text) = value { text.utf8.count } else { 0 }
        return key.count + text + 128
    }
}

/// Marks that wait to be written.
struct PendingMarks {
    private var marks: [StoreMark.Table: [[UInt8]: StoreMark]] = [:]
    private var byteCount = 0

    /// Beyond it only facts are taken, and purges count for all targets: what rests is known in
    /// memory too.
    private static let maxBytes = 256 << 10

    var isEmpty: Bool { marks.isEmpty }
    var all: [StoreMark] { StoreMark.Table.allCases.flatMap { marks[$0].map { Array($0.values) } ?? [] } }

    mutating func add(_ mark: StoreMark) {
        var mark = mark
        if mark.table != .fact, byteCount >= Self.maxBytes {
            guard mark.table == .purged else { return }
            mark = StoreMark(table: .purged, key: [], value: mark.value)
        }
        let older = marks[mark.table]?[mark.key]
        // Purges come in any order, and the latest counts.
        if case (.purged, .time(let time), .time(let known)?) = (mark.table, mark.value, older?.value), time <= known {
            return
        }
        marks[mark.table, default: [:]][mark.key] = mark
        byteCount += mark.byteCount - (older?.byteCount ?? 0)
    }

    /// Adds marks that are newer than these.
    mutating func add(_ newer: PendingMarks) {
        for mark in newer.all { add(mark) }
    }
}
