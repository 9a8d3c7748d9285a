/// One walk over everything that a cache holds, for all purges that not everything has had its turn
/// for (the ban lurker of Varnish).
///
/// Each answer is judged once, wherever it is: in memory, in a queue, in the file. A purge whose
/// caller waits counts the answers that it chose, and that no purge before it had removed.
public struct Sweep: Sendable {
    /// A purge whose caller waits for the count.
    public struct Waiting: Sendable {
        /// Names it; of a dry run a number of its own.
        public let id: Int
        /// Its number in the list; of a dry run that of the last purge before it.
        let number: Int64
        let selection: EntrySelection
        let mode: PurgeMode
        public private(set) var count = PurgeCount()

        public init(id: Int, number: Int64, _ selection: EntrySelection, _ mode: PurgeMode) {
            (self.id, self.number, self.selection, self.mode) = (id, number, selection, mode)
        }

        fileprivate mutating func count(_ index: Int64?, isOnDisk: Bool) {
            if isOnDisk, let index { count.add(row: index) } else { count.add(index) }
        }
    }

    private let purges: Purges
    /// The number of the last purge that it goes for.
    public let last: Int64
    /// In the order of their numbers.
    public private(set) var waiting: [Waiting]

    /// A walk for all purges up to now.
    public init(_ purges: Purges, waiting: [Waiting]) {
        (self.purges, last) = (purges, purges.newest)
        self.waiting = waiting.filter { [last] in $0.number <= last }
    }

    /// The targets, where it chooses by these alone; nil: anything may be among the chosen.
    public var targets: [[UInt8]]? {
        let dry = waiting.filter { $0.mode == .dryRun }.map(\.selection.onlyTarget)
        guard let targets = purges.targets(of: purges.swept + 1...max(last, purges.swept + 1)), !dry.contains(nil)
        else {
            return nil
        }
        return targets + dry.compactMap { $0 }
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
        var verdict = purges.verdict(onHeld: answer, born: born, upTo: last)
        for place in waiting.indices {
            let purge = waiting[place]
            guard purge.mode == .dryRun || born < purge.number, purge.selection.chooses(answer) else { continue }
            // Gone by then.
            let before = purge.mode == .dryRun ? purge.number : purge.number - 1
            if purges.verdict(onHeld: answer, born: born, upTo: before) == .gone { break }
            if counts { waiting[place].count(index(), isOnDisk: isOnDisk) }
            // A later purge of the same has taken its place in the list.
            if purge.mode == .hard { return .gone }
            if purge.mode == .soft, verdict == .untouched { verdict = .stale }
        }
        return verdict
    }
}
