// The purges of a list by their narrowest conditions, so that a question looks at the few that may
// concern it.
// Must hold: a purge is found by each answer that it may choose; a question costs a bounded number
// of look-ups, and then the purges that these find.

struct PurgeIndex: Sendable {
    /// The condition by which a purge is found.
    enum Handle: Hashable, Sendable {
        case everything
        case target([UInt8])
        /// At most `longestPrefix` bytes: of a longer prefix its beginning.
        case prefix([UInt8])
        /// The purge has conditions on resources and storefront alone: an answer is known to be
        /// chosen once its content is.
        case resource(UInt64)
        /// Every question looks at such purges.
        case other

        init(_ selection: EntrySelection) {
            self = selection.conditions.isEmpty ? .everything : .other
            for case .prefix(let prefix) in selection.conditions {
                self = .prefix(Array(prefix.prefix(PurgeIndex.longestPrefix)))
            }
            for case .target(let target) in selection.conditions { self = .target(target) }
            guard self == .other, selection.leavesNoParts else { return }
            for case .resource(let number) in selection.conditions { self = .resource(number) }
        }
    }

    typealias Entry = PurgeList.Entry

    /// The most lengths that are looked up: this takes some microseconds.
    private static let longestPrefix = 64

    /// Entries of each handle, ascending.
    private var entries: [Handle: [Entry]] = [:]
    /// How many entries have a prefix of that many bytes.
    private var prefixLengths: [Int: Int] = [:]

    subscript(handle: Handle) -> [Entry] { entries[handle] ?? [] }

    /// Calls `body` with purges of everything, and those that each question has to look at.
    func eachForAll(_ body: ([Entry]) -> Void) {
        body(self[.everything])
        body(self[.other])
    }

    /// Calls `body` with the other purges that may choose an answer by its target.
    func each(of target: [UInt8], _ body: ([Entry]) -> Void) {
        body(self[.target(target)])
        for length in prefixLengths.keys where length <= target.count {
            body(self[.prefix(Array(target[..<length]))])
        }
    }

    /// Calls `body` with the entries that may choose the answer: once for each of the handles that
    /// find some.
    /// - Parameter named: all resources that the answer names.
    func each(concerning answer: some Selectable, naming named: [UInt64], _ body: ([Entry]) -> Void) {
        eachForAll(body)
        _ = answer.answers { target in
            each(of: Array(target), body)
            return false
        }
        for resource in named { body(self[.resource(resource)]) }
    }

    mutating func add(_ entry: Entry) {
        let handle = Handle(entry.selection)
        entries[handle, default: []].place(entry)
        if case .prefix(let prefix) = handle { prefixLengths[prefix.count, default: 0] += 1 }
    }

    mutating func remove(_ entry: Entry) { remove([entry]) }

    /// Removes these, ascending, at a cost that grows with the entries of their handles alone.
    mutating func remove(_ gone: [Entry]) {
        for (handle, gone) in Dictionary(grouping: gone, by: { Handle($0.selection) }) {
            let left = entries[handle]?.filter { gone.find($0.number) == nil } ?? []
            entries[handle] = left.isEmpty ? nil : left
            guard case .prefix(let prefix) = handle, let count = prefixLengths[prefix.count] else { continue }
            prefixLengths[prefix.count] = count > gone.count ? count - gone.count : nil
        }
    }
}

extension EntrySelection {
    /// Whether it leaves no answer with the purged content that another could be made of: it
    /// chooses everything, or a resource in any answer.
    var leavesNoParts: Bool {
        conditions.allSatisfy { condition in
            switch condition {
            // Answers are made of those of their own storefront.
            case .resource, .storefront: true
            case .target, .prefix, .pattern, .classTag: false
            }
        }
    }
}

/// Entries of a list, ascending.
extension [PurgeList.Entry] {
    /// The entries above the number.
    func since(_ number: Int64) -> SubSequence { self[firstIndex(above: number)...] }

    func find(_ number: Int64) -> PurgeList.Entry? {
        since(number - 1).first.flatMap { $0.number == number ? $0 : nil }
    }

    /// Adds an entry, mostly at the end.
    mutating func place(_ entry: PurgeList.Entry) { insert(entry, at: firstIndex(above: entry.number)) }

    mutating func take(_ number: Int64) {
        let index = firstIndex(above: number - 1)
        if index < endIndex, self[index].number == number { remove(at: index) }
    }

    private func firstIndex(above number: Int64) -> Int {
        var (low, high) = (0, count)
        if let last, last.number <= number { return high }
        while low < high {
            let middle = (low + high) / 2
            if self[middle].number <= number { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
