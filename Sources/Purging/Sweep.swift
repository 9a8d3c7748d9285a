/// One walk over everything that a cache holds, for all purges that not everything has had its turn
/// for (the ban lurker of Varnish).
///
/// Each answer is judged once, wherever it is: in memory, in a queue, in the file. A purge whose
/// caller waits counts the answers that it chose, and that no purge before it had removed.
public struct Sweep: Sendable {
    /// A purge whose caller waits for the count, or the same soft purge several times in a row.
    public struct Waiting: Sendable {
        /// Each time that it was asked for, and its number in the list; of a dry run that of the
        /// last purge before it. Ascending.
        private var times: [(id: Int, number: Int64)]
        let selection: EntrySelection
        let mode: PurgeMode
        /// By the first time that an answer is counted for: it is for all later ones, too.
        private var counts: [Int] = [0]
        /// The rows of those counted in memory or in the queue, to be known again on disk.
        private var rows: Set<Int64> = []

        public init(id: Int, number: Int64, _ selection: EntrySelection, _ mode: PurgeMode) {
            (times, self.selection, self.mode) = ([(id, number)], selection, mode)
        }

        /// How many answers each of them has chosen.
        public var totals: [(id: Int, count: Int)] {
            var sum = 0
            return zip(times, counts).map { time, count in
                sum += count
                return (time.id, sum)
            }
        }

        var first: Int64 { times[0].number }
        var last: Int64 { times[times.count - 1].number }

        fileprivate mutating func join(_ later: Waiting) {
            times += later.times
            counts += later.counts
        }

        /// The number of the first time that concerns an answer which was born then; nil for none.
        fileprivate func number(after born: Int64) -> Int64? {
            mode == .dryRun ? first : times.first { $0.number > born }?.number
        }

        /// Counts an answer once, be it in memory, on disk or between the two.
        /// - Parameter index: of its row, which is met once on disk; nil for one user's, which has
        ///   none.
        fileprivate mutating func count(_ index: Int64?, isOnDisk: Bool, from number: Int64) {
            if let index {
                guard isOnDisk ? !rows.contains(index) : rows.insert(index).inserted else { return }
            }
            counts[times.firstIndex { $0.number == number } ?? 0] += 1
        }
    }

    private let purges: Purges
    /// The number of the last purge that it goes for.
    public let last: Int64
    /// All of these purges, where they are few: then no answer takes a lock.
    private let few: [PurgeList.Entry]?
    /// In the order of their numbers.
    public private(set) var waiting: [Waiting] = []
    private let hasDryRun: Bool

    /// A walk for all purges up to now.
    public init(_ purges: Purges, waiting: [Waiting]) {
        self.purges = purges
        (last, few) = purges.unswept()
        hasDryRun = waiting.contains { $0.mode == .dryRun }
        for purge in waiting.sorted(by: { $0.first < $1.first }) {
            precondition(purge.last <= last, "a purge is noted before it waits")
            if purge.mode == .soft, let before = self.waiting.last, before.mode == .soft,
                before.selection == purge.selection
            {
                self.waiting[self.waiting.count - 1].join(purge)
            } else {
                self.waiting.append(purge)
            }
        }
    }

    /// The targets, where it chooses by these alone; nil: anything may be among the chosen.
    public var targets: [[UInt8]]? {
        let asked = waiting.map(\.selection.onlyTarget)
        guard !asked.contains(nil), let targets = purges.unsweptTargets(upTo: last) else { return nil }
        return targets + asked.compactMap { $0 }
    }

    /// The fate of an answer that is held, which was born under that number.
    /// - Parameters:
    ///   - index: the number of its row; nil for one that has none.
    ///   - counts: whether it is an answer, and not something that leads to answers.
    ///   - isOnDisk: whether it is a row, each of which is met once.
    public mutating func judge(
        _ answer: some Selectable, born: Int64, index: @autoclosure () -> Int64?, counts: Bool = true,
        isOnDisk: Bool = false
    ) -> PurgeVerdict {
        // A later purge of the same may have taken the place of one that waits.
        guard hasDryRun || verdict(on: answer, born: born, upTo: few == nil ? .max : last) != .untouched else {
            return .untouched
        }
        var fate = verdict(on: answer, born: born, upTo: last)
        for place in waiting.indices {
            let purge = waiting[place]
            guard let number = purge.number(after: born), purge.selection.chooses(answer) else { continue }
            // Gone by then.
            let before = purge.mode == .dryRun ? number : number - 1
            if verdict(on: answer, born: born, upTo: before) == .gone { break }
            if counts { waiting[place].count(index(), isOnDisk: isOnDisk, from: number) }
            if purge.mode == .hard { return .gone }
            if purge.mode == .soft, fate == .untouched { fate = .stale }
        }
        return fate
    }

    private func verdict(on answer: some Selectable, born: Int64, upTo last: Int64) -> PurgeVerdict {
        guard let few else { return purges.verdict(onHeld: answer, born: born, upTo: last) }
        var verdict = PurgeVerdict.untouched
        for entry in few where entry.number > born && entry.number <= last && entry.selection.chooses(answer) {
            if entry.mode == .hard { return .gone }
            verdict = .stale
        }
        return verdict
    }
}
