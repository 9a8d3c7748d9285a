// All purges that may still matter, in one list: for anything of a cache that was born under a
// number, it says whether a purge since has chosen it.
// Must hold: numbers only rise; the list answers as one that never forgets would, or counts what it
// has forgotten as a purge of everything; it is bounded in bytes; no clock takes part.

/// The effect on something of the purges since it was born.
public enum PurgeVerdict: Sendable, Equatable {
    /// None has chosen it.
    case untouched
    /// Its freshness has ended.
    case stale
    /// It is not to be used any more.
    case gone
}

/// The list of purges (as the ban list of Varnish: `bin/varnishd/cache/cache_ban.c`).
///
/// Whatever is held of an answer carries the number under which it was *born*: the newest of the
/// list when its fetch began. Purges up to that number do not concern it.
public struct PurgeList: Sendable {
    /// One purge.
    public struct Entry: Sendable, Equatable {
        /// Above those of all entries before.
        public let number: Int64
        public let selection: EntrySelection
        /// `hard` or `soft`.
        public let mode: PurgeMode

        public init(number: Int64, selection: EntrySelection, mode: PurgeMode) {
            (self.number, self.selection, self.mode) = (number, selection, mode)
        }

        /// Whether nothing is left to do of an earlier one once this one counts.
        func supersedes(_ older: Entry) -> Bool {
            older.number < number && (mode == .hard || older.mode == .soft)
                && (selection.conditions.isEmpty || older.selection == selection)
        }

        /// Bytes besides those that it names: its places in three tables, and the heads of arrays.
        private static let overhead = 256
        var byteCount: Int { Self.overhead + 2 * selection.byteCount }
    }

    /// The narrowest condition of a purge, by which it is found.
    private enum Handle: Hashable, Sendable {
        case target([UInt8])
        case prefix([UInt8])
        /// Of resources and storefronts alone: no answer to a request is known to be chosen before
        /// its content is.
        case resource(UInt64)
        case other

        init(_ selection: EntrySelection) {
            self = .other
            for case .prefix(let prefix) in selection.conditions { self = .prefix(prefix) }
            for case .target(let target) in selection.conditions { self = .target(target) }
            guard self == .other, selection.leavesNoParts else { return }
            for case .resource(let number) in selection.conditions { self = .resource(number) }
        }
    }

    /// The number of the latest purge; 0: there was none.
    public private(set) var newest: Int64 = 0
    /// Purges up to this number may be forgotten: whatever was born before it counts as chosen.
    public private(set) var forgotten: Int64 = 0
    /// Everything that is held has had its turn for the purges up to this number (`Sweep`).
    public private(set) var swept: Int64 = 0
    /// How often the list took over a file's and got other numbers (`restore`).
    public private(set) var renumberings = 0
    private var entries: [Int64: Entry] = [:]
    /// Of all entries, ascending.
    private var numbers: [Int64] = []
    /// The numbers of the entries with a handle, ascending.
    private var found: [Handle: [Int64]] = [:]
    /// How many entries have a prefix of that many bytes.
    private var prefixLengths: [Int: Int] = [:]
    private(set) var byteCount = 0
    private let maxBytes: Int

    /// Some 20,000 purges of single targets.
    public static let maxBytes = 8 << 20
    /// So many entries are looked at one by one.
    private static let few = 16

    public init(maxBytes: Int = PurgeList.maxBytes) { self.maxBytes = maxBytes }

    /// How many purges are remembered.
    public var count: Int { numbers.count }

    /// Notes a purge that begins now, under the next number.
    public mutating func note(_ selection: EntrySelection, _ mode: PurgeMode) -> Entry {
        precondition(mode != .dryRun, "nothing to remember")
        let entry = Entry(number: newest + 1, selection: selection, mode: mode)
        add(entry)
        return entry
    }

    /// The entries above a number, ascending.
    public func entries(since number: Int64) -> [Entry] { since(number).compactMap { entries[$0] } }

    /// The verdict on an answer whose fetch began under the number `born`.
    /// - Parameter last: later purges do not count.
    public func verdict(
        on answer: some Selectable, since born: Int64, upTo last: Int64 = .max
    ) -> PurgeVerdict {
        if born < forgotten { return .gone }
        guard born < newest else { return .untouched }
        var verdict = PurgeVerdict.untouched
        eachConcerning(answer, since: born) { entry in
            guard entry.number <= last, entry.mode == .hard || verdict == .untouched, entry.selection.chooses(answer)
            else { return true }
            verdict = entry.mode == .hard ? .gone : .stale
            return verdict != .gone
        }
        return verdict
    }

    /// The number of the last purge that is known to choose whatever answers such a request; 0
    /// where there was none.
    ///
    /// A purge of a resource in any answer is not among these, unless the request asks for that.
    /// - Parameter resources: the numbers of the resources that the request asks for.
    public func lastPurge(
        of target: [UInt8], storefront: [UInt8], classTag: UInt8, resources: [UInt64] = []
    ) -> Int64 {
        let request = AnswerToCome(target: target, storefront: storefront, classTag: classTag)
        var last = forgotten
        eachHandle(of: target) { handle in
            for number in (found[handle] ?? []).reversed() {
                guard number > last, let entry = entries[number] else { break }
                if entry.selection.chooses(request) { last = number }
            }
            return true
        }
        for resource in resources {
            for number in (found[.resource(resource)] ?? []).reversed() {
                guard number > last, let entry = entries[number] else { break }
                if entry.selection.chooses(request) { last = number }
            }
        }
        return last
    }

    /// The number, among these, of the last purge that chose at least as much, so that such a purge
    /// adds nothing for anything born before; nil: there is none.
    ///
    /// That is one of the same selection, or one of everything, or those that are forgotten and
    /// count as one.
    public func number(of selection: EntrySelection, among numbers: Range<Int64>) -> Int64? {
        func last(_ selection: EntrySelection) -> Int64? {
            (found[Handle(selection)] ?? []).last { numbers.contains($0) && entries[$0]?.selection == selection }
        }
        return last(selection) ?? last(EntrySelection()) ?? (numbers.contains(forgotten) ? forgotten : nil)
    }

    // MARK: Finding

    /// Calls `body` with entries above `born` until it returns false: with all that may choose the
    /// answer.
    private func eachConcerning(_ answer: some Selectable, since born: Int64, _ body: (Entry) -> Bool) {
        let late = since(born)
        if late.count <= Self.few {
            for number in late { if let entry = entries[number], !body(entry) { return } }
            return
        }
        var goesOn = true
        func each(_ handle: Handle) -> Bool {
            for number in (found[handle] ?? []).reversed() {
                guard goesOn, number > born, let entry = entries[number] else { break }
                goesOn = body(entry)
            }
            return goesOn
        }
        _ = answer.answers { target in
            eachHandle(of: Array(target), each)
            return !goesOn
        }
        guard goesOn, let named = answer.named else {
            if goesOn { eachOfResources(since: born, body) }
            return
        }
        for resource in named where !each(.resource(resource)) { return }
    }

    private func eachOfResources(since born: Int64, _ body: (Entry) -> Bool) {
        for number in since(born) {
            guard let entry = entries[number], case .resource = Handle(entry.selection) else { continue }
            if !body(entry) { return }
        }
    }

    /// Calls `body` with the handles of the purges that may choose an answer by its target, until
    /// it returns false.
    private func eachHandle(of target: [UInt8], _ body: (Handle) -> Bool) {
        guard body(.other), body(.target(target)) else { return }
        for length in prefixLengths.keys where length <= target.count {
            if !body(.prefix(Array(target[..<length]))) { return }
        }
    }

    private func since(_ number: Int64) -> ArraySlice<Int64> {
        var (low, high) = (0, numbers.count)
        while low < high {
            let middle = (low + high) / 2
            if numbers[middle] <= number { low = middle + 1 } else { high = middle }
        }
        return numbers[low...]
    }

    // MARK: Changing

    private mutating func add(_ entry: Entry) {
        newest = max(newest, entry.number)
        guard entry.number > forgotten else { return }
        if entry.selection.conditions.isEmpty {
            keep { !entry.supersedes($0) }
        } else {
            let like = found[Handle(entry.selection)] ?? []
            for number in like where entries[number].map(entry.supersedes) ?? false { remove(number) }
        }
        if entries[entry.number] != nil { remove(entry.number) }
        place(entry)
        if byteCount > maxBytes { forgetHalf() }
    }

    private mutating func place(_ entry: Entry) {
        let handle = Handle(entry.selection)
        entries[entry.number] = entry
        insert(entry.number, into: &numbers)
        insert(entry.number, into: &found[handle, default: []])
        if case .prefix(let prefix) = handle { prefixLengths[prefix.count, default: 0] += 1 }
        byteCount += entry.byteCount
    }

    private mutating func remove(_ number: Int64) {
        guard let entry = entries.removeValue(forKey: number) else { return }
        let handle = Handle(entry.selection)
        numbers.removeAll { $0 == number }
        found[handle]?.removeAll { $0 == number }
        if found[handle]?.isEmpty == true { found[handle] = nil }
        if case .prefix(let prefix) = handle {
            prefixLengths[prefix.count] = prefixLengths[prefix.count].flatMap { $0 > 1 ? $0 - 1 : nil }
        }
        byteCount -= entry.byteCount
    }

    private func insert(_ number: Int64, into numbers: inout [Int64]) {
        var place = numbers.endIndex
        while place > numbers.startIndex, numbers[place - 1] > number { place -= 1 }
        numbers.insert(number, at: place)
    }

    /// The older half at once, so that the rest is not moved for each. Purges that not everything
    /// has had its turn for become one of everything.
    private mutating func forgetHalf() {
        let last = numbers[numbers.count / 2]
        guard last > swept else { return forget(upTo: last) }
        let isHard = since(swept).contains { entries[$0]?.mode == .hard }
        _ = note(EntrySelection(), isHard ? .hard : .soft)
    }

    /// Everything that was held has had its turn for the purges up to that number.
    public mutating func noteSwept(_ number: Int64) { swept = max(swept, min(number, newest)) }

    /// Counts purges up to that number as purges of everything.
    private mutating func forget(upTo number: Int64) {
        guard number > forgotten else { return }
        (forgotten, newest) = (number, max(newest, number))
        keep { $0.number > number }
    }

    private mutating func keep(_ isKept: (Entry) -> Bool) {
        let kept = entries(since: .min).filter(isKept)
        (entries, numbers, found, prefixLengths, byteCount) = ([:], [], [:], [:], 0)
        for entry in kept { place(entry) }
    }
}

// MARK: - Between lives of a process

extension PurgeList {
    /// Takes over the purges that a file has, and what they have forgotten, before an answer of the
    /// file is used.
    ///
    /// A list with purges of its own, made while another process had the file or none could be
    /// read, keeps them. They concern the file's answers too, so they get new numbers, above all
    /// others.
    /// - Parameter swept: up to which number everything in the file has had its turn.
    /// - Returns: the entries that the file lacks.
    public mutating func restore(_ known: [Entry], forgotten: Int64, swept: Int64) -> [Entry] {
        let numbers = Dictionary(known.map { ($0.number, $0) }) { $1 }
        let lacking = entries(since: .min).filter { numbers[$0.number] != $0 }
        if known.isEmpty, forgotten == 0 {
            // Nothing in the file was born under a number.
            self.swept = 0
            return lacking
        }
        if forgotten <= self.forgotten, known.allSatisfy(isKnown) {
            self.swept = max(self.swept, swept)
            return lacking
        }
        renumberings += 1
        for entry in lacking { remove(entry.number) }
        forget(upTo: forgotten)
        for entry in known { add(entry) }
        // What this process holds was fetched after the purges of earlier ones.
        self.swept = swept
        newest = max(newest, swept)
        return lacking.map { note($0.selection, $0.mode) }
    }

    /// Whether this list has the entry, or had it.
    private func isKnown(_ entry: Entry) -> Bool {
        entry.number <= forgotten || entries[entry.number] == entry
            || since(entry.number).contains { entries[$0]?.supersedes(entry) ?? false }
    }
}

extension EntrySelection {
    /// Whether it leaves no answer with the purged content that another could be made of: it
    /// chooses everything, or a resource in any answer.
    package var leavesNoParts: Bool {
        conditions.allSatisfy { condition in
            switch condition {
            // Answers are made of those of their own storefront.
            case .resource, .storefront: true
            case .target, .prefix, .pattern, .classTag: false
            }
        }
    }
}

extension EntrySelection {
    /// Whether the origin's answer to such a request may be among the chosen. Its resources are not
    /// known yet.
    package func chooses(_ target: [UInt8], storefront: [UInt8], classTag: UInt8) -> Bool {
        chooses(AnswerToCome(target: target, storefront: storefront, classTag: classTag))
    }
}

/// An answer that the origin may give. Its resources are not known yet.
private struct AnswerToCome: Selectable {
    let target: [UInt8]
    let storefront: [UInt8]
    let classTag: UInt8

    func answers(_ test: ([UInt8]) -> Bool) -> Bool { test(target) }
    func mayBeOfClass(_ tag: UInt8) -> Bool { tag == classTag }
    func mayName(_ resource: UInt64) -> Bool { true }
    var named: [UInt64]? { nil }
}
