/// A walk over everything that a cache holds, for all purges that not everything has had its turn
/// for (the ban lurker of Varnish).
///
/// The walk judges each answer once, wherever it is: in memory, in a queue, in the file. A purge
/// whose caller waits counts the answers that it chose, and that no purge before it had removed.
public struct Sweep: Sendable {
    /// A purge whose caller waits for the count, or the same soft purge several times in a row.
    public struct Waiting: Sendable {
        /// The times that it was asked for, ascending, each with its number in the list; of a dry
        /// run that of the last purge before it.
        private var times: [(id: Int, number: Int64)]
        let selection: EntrySelection
        let mode: PurgeMode
        /// The answers that each time was the first to choose. All later times choose them, too.
        private var counts: [Int] = [0]

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

        /// The first time that concerns an answer which was born then; nil for none.
        fileprivate func time(after born: Int64) -> Int? {
            mode == .dryRun ? 0 : times.firstIndex { $0.number > born }
        }

        /// Whether an answer that a purge of that number removed was gone by then.
        fileprivate func finds(goneBy number: Int64, at time: Int) -> Bool {
            number < times[time].number || mode == .dryRun && number == times[time].number
        }

        fileprivate mutating func count(from time: Int) { counts[time] += 1 }
    }

    private let purges: Purges
    /// The number of the last purge that it goes for.
    public let last: Int64
    /// How often the list had taken over a file's.
    let restores: Int
    /// The purges that it goes for, where they are few: then no answer takes a lock.
    private let few: [PurgeList.Entry]?
    /// The targets, where it chooses by these alone; nil: anything may be among the chosen.
    public let targets: Set<[UInt8]>?
    /// The purges whose callers wait, in the order of their numbers.
    public private(set) var waiting: [Waiting] = []
    /// The waiting as entries whose numbers are their places.
    private var index = PurgeIndex()
    private var hasDryRun = false
    /// The rows that are not counted on disk: of answers that were counted in memory or in the
    /// queue, or are about to go.
    private var met: Set<Int64> = []

    /// A walk for all purges up to now.
    public init(_ purges: Purges, waiting: [Waiting]) {
        self.purges = purges
        let unswept = purges.unswept()
        (last, restores) = (unswept.last, unswept.restores)
        few = unswept.entries.flatMap { $0.count <= PurgeList.few ? $0 : nil }
        targets = unswept.entries.flatMap { Self.targets($0.map(\.selection) + waiting.map(\.selection)) }
        for purge in waiting.sorted(by: { $0.first < $1.first }) {
            precondition(purge.last <= last, "a purge is noted before it waits")
            add(purge)
        }
    }

    private static func targets(_ selections: [EntrySelection]) -> Set<[UInt8]>? {
        var targets: Set<[UInt8]> = []
        for selection in selections {
            guard let target = selection.onlyTarget else { return nil }
            targets.insert(target)
        }
        return targets
    }

    private mutating func add(_ purge: Waiting) {
        if purge.mode == .dryRun { hasDryRun = true }
        if purge.mode == .soft, let before = waiting.last, before.mode == .soft, before.selection == purge.selection {
            waiting[waiting.count - 1].join(purge)
            return
        }
        index.add(PurgeList.Entry(number: Int64(waiting.count), selection: purge.selection, mode: purge.mode))
        waiting.append(purge)
    }

    /// Notes rows that are not to be counted on disk.
    public mutating func noteMet(_ rows: some Sequence<Int64>) { met.formUnion(rows) }

    /// The fate of an answer that is held, which was born under that number.
    /// - Parameters:
    ///   - index: the number of its row; nil for one that has none.
    ///   - counts: whether it is an answer, and not something that leads to answers.
    ///   - isOnDisk: whether it is a row, each of which is met once.
    public mutating func judge(
        _ answer: some Selectable, born: Int64, index: @autoclosure () -> Int64?, counts: Bool = true,
        isOnDisk: Bool = false
    ) -> PurgeVerdict {
        let effect = effect(on: answer, born: born)
        // A later purge of the same may have taken the place of one that waits.
        guard hasDryRun || effect.verdict() != .untouched else { return .untouched }
        var fate = effect.verdict(upTo: last)
        // The callers that count it, each with the time from which it is counted.
        var found: [(place: Int, time: Int)] = []
        for place in placesOfWaiting(concerning: answer) {
            let purge = waiting[place]
            guard let time = purge.time(after: born), purge.selection.chooses(answer) else { continue }
            if purge.finds(goneBy: effect.gone, at: time) { break }
            found.append((place, time))
            if purge.mode == .hard {
                fate = .gone
                break
            }
            if purge.mode == .soft, fate == .untouched { fate = .stale }
        }
        if counts, !found.isEmpty, isCountedNow(index(), isOnDisk: isOnDisk) {
            for (place, time) in found { waiting[place].count(from: time) }
        }
        return fate
    }

    /// The places of the waiting that may choose the answer, ascending.
    private func placesOfWaiting(concerning answer: some Selectable) -> [Int] {
        guard waiting.count > PurgeList.few, let named = answer.named else { return Array(waiting.indices) }
        var places: Set<Int> = []
        index.each(concerning: answer, naming: named) { places.formUnion($0.lazy.map { Int($0.number) }) }
        return places.sorted()
    }

    /// Whether an answer has not been counted yet: it may be in memory, on disk or between the two.
    private mutating func isCountedNow(_ index: Int64?, isOnDisk: Bool) -> Bool {
        guard let index else { return true }
        return isOnDisk ? !met.contains(index) : met.insert(index).inserted
    }

    private func effect(on answer: some Selectable, born: Int64) -> PurgeEffect {
        guard let few else { return purges.effect(onHeld: answer, born: born) }
        var effect = PurgeEffect()
        effect.add(few.since(born), on: answer)
        return effect
    }
}
