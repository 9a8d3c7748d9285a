/// Facts, rests and floors that wait to be written, the latest of each key.
struct PendingMarks {
    private struct Name: Hashable {
        let key: [UInt8]
        let origin: OriginTag
    }

    private var marks: [StoreMark.Table: [Name: StoreMark]] = [:]
    private var byteCounts: [StoreMark.Table: Int] = [:]

    /// The bytes of a table's marks. Beyond it only facts are taken: resting forms and floors are
    /// known in memory too. Many floors leave room for rests.
    static let maxBytes = 256 << 10

    var isEmpty: Bool { marks.isEmpty }
    var all: [StoreMark] { StoreMark.Table.allCases.flatMap { marks[$0].map { Array($0.values) } ?? [] } }

    mutating func add(_ mark: StoreMark) {
        if mark.table != .fact, byteCounts[mark.table, default: 0] >= Self.maxBytes { return }
        let name = Name(key: mark.key, origin: mark.origin)
        let older = marks[mark.table, default: [:]].updateValue(mark, forKey: name)
        byteCounts[mark.table, default: 0] += mark.byteCount - (older?.byteCount ?? 0)
    }

    /// Adds marks that are newer than these.
    mutating func add(_ newer: PendingMarks) {
        for mark in newer.all { add(mark) }
    }
}

/// Marks of purges that wait to be written, in the order of their numbers. They stay until they are
/// in the file.
struct PendingPurgeMarks {
    private(set) var all: [StoreMark] = []
    private var byteCount = 0
    private var newest: Int64 = 0

    var isEmpty: Bool { all.isEmpty }
    /// Whether a purge is among them that the file does not know.
    var hasPurges: Bool { all.contains { !$0.isSwept } }

    /// - Returns: false where they were more than `PendingMarks.maxBytes`, and one that forgets
    ///   them all took their place: for the next life, the file's answers count as purged.
    mutating func add(_ mark: StoreMark) -> Bool {
        guard case .purge(let number, let effect) = mark.value else { return true }
        newest = max(newest, number)
        if effect == .forgotten { all.removeAll { $0.isForgotten(by: number) } }
        all.append(mark)
        byteCount = effect == .forgotten ? all.reduce(0) { $0 + $1.byteCount } : byteCount + mark.byteCount
        guard byteCount > PendingMarks.maxBytes else { return true }
        _ = add(StoreMark(purge: newest, .forgotten, words: []))
        return false
    }

    /// Forgets marks that were written to the file. Where some have become one meanwhile, all are
    /// written once more.
    mutating func finish(_ written: [StoreMark]) {
        guard all.starts(with: written) else { return }
        all.removeFirst(written.count)
        byteCount -= written.reduce(0) { $0 + $1.byteCount }
    }
}

extension StoreMark {
    fileprivate func isForgotten(by last: Int64) -> Bool {
        if case .purge(let number, let effect) = value { number <= last || effect == .swept } else { false }
    }

    fileprivate var isSwept: Bool { if case .purge(_, .swept) = value { true } else { false } }
}
