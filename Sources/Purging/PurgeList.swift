// All purges that may still matter, in one list: for anything of a cache that was born under a
// number, it says whether a purge since has chosen it.
// Must hold: numbers only rise; the list answers as one that never forgets would, or counts the
// purges that it has forgotten as purges of everything; it is bounded in bytes; no clock takes
// part.

/// The list of purges (as the ban list of Varnish: `bin/varnishd/cache/cache_ban.c`).
///
/// Everything held of an answer carries the number under which it was *born*: the newest of the
/// list when its fetch began, or when it was composed of others. Purges up to that number do not
/// concern it.
public struct PurgeList: Sendable {
    /// A purge of the list.
    public struct Entry: Sendable, Equatable {
        /// The number is above those of all entries before.
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

        /// Memory of it, as measured, in bytes. A purge that every question has to look at counts
        /// as `leastOfOther`, for the time that this takes: 2,000 of them are remembered.
        var byteCount: Int {
            let bytes = Self.overhead + selection.conditions.count * Self.conditionOverhead + 2 * selection.byteCount
            return PurgeIndex.Handle(selection) == .other ? max(bytes, Self.leastOfOther) : bytes
        }

        private static let (overhead, conditionOverhead, leastOfOther) = (192, 64, 4_096)
    }

    /// The number of the latest purge; 0: there was none.
    private(set) var newest: Int64 = 0
    /// Purges up to this number may be forgotten: whatever was born before it counts as chosen.
    private(set) var forgotten: Int64 = 0
    /// Everything that is held has had its turn for the purges up to this number (`Sweep`).
    private(set) var swept: Int64 = 0
    /// How often the list took over a file's (`restore`).
    private(set) var restores = 0
    /// How often purges of this list got other numbers then.
    public private(set) var renumberings = 0
    /// How often there was no more room, and purges were forgotten.
    private(set) var forgettings = 0
    /// How often there was no more room, and purges or removals that waited for their turn became
    /// one of everything.
    private(set) var widenings = 0
    /// The purges that are remembered, ascending.
    private var entries: [Entry] = []
    private var index = PurgeIndex()
    /// At most `maxBytes` of the initialiser.
    private(set) var byteCount = 0
    private let maxBytes: Int
    /// Whether its numbers are those of a file.
    private var isOfFile = false

    /// Some 25,000 purges of single targets.
    public static let maxBytes = 8 << 20
    /// The most entries that are looked at one by one.
    static let few = 16

    public init(maxBytes: Int = PurgeList.maxBytes) { self.maxBytes = maxBytes }

    /// Whether all purges are remembered that not everything has had its turn for.
    var remembersUnswept: Bool { forgotten <= swept }

    /// How many purges are remembered.
    public var count: Int { entries.count }

    /// Notes a purge that begins now, under the next number.
    mutating func note(_ selection: EntrySelection, _ mode: PurgeMode) -> Entry {
        precondition(mode != .dryRun, "nothing to remember")
        let entry = Entry(number: newest + 1, selection: selection, mode: mode)
        add(entry)
        return entry
    }

    /// The entries above a number, ascending.
    func entries(since number: Int64) -> [Entry] { Array(entries.since(number)) }

    /// The effect of the purges on an answer whose fetch began under the number `born`.
    func effect(on answer: some Selectable, since born: Int64) -> PurgeEffect {
        if born < forgotten { return .forgotten }
        var effect = PurgeEffect()
        guard born < newest else { return effect }
        eachConcerning(answer, since: born) { effect.add($0, on: answer) }
        return effect
    }

    /// The number of the last purge that may choose whatever answers such a request; 0 where there
    /// was none.
    ///
    /// A purge of a resource in any answer is not among these.
    func lastPurge(of target: [UInt8], storefront: [UInt8], classTag: UInt8) -> Int64 {
        let request = AnswerToCome(target: target, storefront: storefront, classTag: classTag)
        var last = forgotten
        func look(_ entries: [Entry]) {
            last = entries.since(last).last { $0.selection.chooses(request) }?.number ?? last
        }
        index.eachForAll(look)
        index.each(of: target, look)
        return last
    }

    /// The number, among these, of the last purge that did at least as much: one of the same
    /// selection, or of everything, or those that are forgotten and count as one. A purge like it
    /// adds nothing for anything born before. Nil: there is none.
    func number(
        of selection: EntrySelection, _ mode: PurgeMode, among numbers: Range<Int64> = 1..<Int64.max
    ) -> Int64? {
        let like = index[.everything] + index[PurgeIndex.Handle(selection)].filter { $0.selection == selection }
        let found = like.filter { $0.mode == .hard || mode == .soft }.map(\.number) + [forgotten]
        return found.filter(numbers.contains).max()
    }

    /// Calls `body` with the entries above `born` that may choose the answer: ascending, once for
    /// each of the handles that find some.
    private func eachConcerning(_ answer: some Selectable, since born: Int64, _ body: (ArraySlice<Entry>) -> Void) {
        let late = entries.since(born)
        guard late.count > Self.few, let named = answer.named else { return body(late) }
        index.each(concerning: answer, naming: named) { body($0.since(born)) }
    }
}

// MARK: - Changing

extension PurgeList {
    private mutating func add(_ entry: Entry) {
        newest = max(newest, entry.number)
        guard entry.number > forgotten, !isSuperseded(entry) else { return }
        if entry.selection.conditions.isEmpty {
            keep { !entry.supersedes($0) }
        } else {
            for older in index[PurgeIndex.Handle(entry.selection)] where entry.supersedes(older) { remove(older) }
        }
        place(entry)
        if byteCount > maxBytes { forgetHalf() }
    }

    private func isSuperseded(_ entry: Entry) -> Bool {
        guard let last = entries.last, last.number > entry.number else { return false }
        return [.everything, PurgeIndex.Handle(entry.selection)].contains { handle in
            index[handle].contains { $0.supersedes(entry) }
        }
    }

    private mutating func place(_ entry: Entry) {
        entries.place(entry)
        index.add(entry)
        byteCount += entry.byteCount
    }

    private mutating func remove(_ entry: Entry) {
        entries.take(entry.number)
        index.remove(entry)
        byteCount -= entry.byteCount
    }

    /// Forgets the oldest at once, up to half of them: some milliseconds, and a line in the log.
    /// Purges that not everything has had its turn for become one of everything, unless the others
    /// are an eighth of the list.
    private mutating func forgetHalf() {
        var (rest, last) = (byteCount, Int64.min)
        for entry in entries where rest > maxBytes / 2 && entry.number <= swept {
            (rest, last) = (rest - entry.byteCount, entry.number)
        }
        if rest <= maxBytes / 8 * 7 {
            forgettings += 1
            return forget(upTo: last)
        }
        if entries.count == 1, entries[0].selection.conditions.isEmpty { return }
        let isHard = entries.since(swept).contains { $0.mode == .hard }
        widen(isHard ? .hard : .soft)
    }

    /// Notes a purge of everything, in place of more than there is room for.
    mutating func widen(_ mode: PurgeMode) {
        widenings += 1
        _ = note(EntrySelection(), mode)
    }

    /// Everything that was held has had its turn for the purges up to that number.
    mutating func noteSwept(_ number: Int64) { swept = max(swept, min(number, newest)) }

    /// Counts purges up to that number as purges of everything.
    private mutating func forget(upTo number: Int64) {
        guard number > forgotten else { return }
        (forgotten, newest) = (number, max(newest, number))
        keep { $0.number > number }
    }

    private mutating func keep(_ isKept: (Entry) -> Bool) {
        let all = entries
        entries = all.filter(isKept)
        guard !entries.isEmpty else {
            (index, byteCount) = (PurgeIndex(), 0)
            return
        }
        let others = all.filter { !isKept($0) }
        index.remove(others)
        byteCount -= others.reduce(0) { $0 + $1.byteCount }
    }
}

// MARK: - Between lives of a process

extension PurgeList {
    /// Takes over the purges that a file has, and those that it has forgotten, before an answer of
    /// the file is used.
    ///
    /// A list with purges of its own, made while another process had the file or none could be
    /// read, keeps them. They concern the file's answers too, so they get new numbers, above all
    /// others.
    /// - Parameters:
    ///   - known: in any order.
    ///   - swept: up to which number everything in the file has had its turn.
    /// - Returns: the entries that the file lacks, under the numbers that they have now.
    mutating func restore(_ known: [Entry], forgotten: Int64, swept: Int64) -> [Entry] {
        let known = known.sorted { $0.number < $1.number }
        restores += 1
        defer { isOfFile = true }
        if known.isEmpty, forgotten == 0, swept == 0 {
            // Nothing in the file was born under a number.
            self.swept = 0
        } else if isOfFile, swept <= self.swept, forgotten <= self.forgotten,
            known.allSatisfy(isKnown)
        {
            // The file need not keep what all of it has had. It may be an earlier state of it.
            self.swept = swept
            return entries(lackedBy: known).filter { $0.number > swept }
        } else {
            join(known, forgotten: forgotten, swept: swept)
        }
        return entries(lackedBy: known)
    }

    /// - Parameter known: in order.
    private func entries(lackedBy known: [Entry]) -> [Entry] { entries.filter { known.find($0.number) != $0 } }

    private mutating func join(_ known: [Entry], forgotten: Int64, swept: Int64) {
        renumberings += 1
        // Before the first file was read, a purge equal to one of its own is another all the same.
        let own = isOfFile ? entries(lackedBy: known) : entries
        // The file's answers have not had their turn for these either.
        let hasForgottenOthers = self.forgotten > forgotten
        (entries, index, byteCount) = ([], PurgeIndex(), 0)
        // Everything that this process holds was fetched after the purges of earlier ones.
        self.swept = swept
        // One of everything, in place of more than there is room for, comes after all of the
        // file's.
        newest = max(newest, swept, known.last?.number ?? 0)
        forget(upTo: forgotten)
        for entry in known { add(entry) }
        if hasForgottenOthers {
            _ = note(EntrySelection(), .hard)
        } else {
            for entry in own { _ = note(entry.selection, entry.mode) }
        }
    }

    /// Whether this list has the entry, or had it.
    private func isKnown(_ entry: Entry) -> Bool {
        entry.number <= forgotten || entries.find(entry.number) == entry || isSuperseded(entry)
    }
}
