/// Marks that wait to be written, the latest of each key.
struct PendingMarks {
    private var marks: [StoreMark.Table: [[UInt8]: StoreMark]] = [:]
    private var byteCount = 0

    /// Beyond it only facts are taken, and purges count for all targets: resting forms are known
    /// in memory too.
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
