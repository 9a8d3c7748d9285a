// Which entries a purge or a listing means.

/// Entries chosen by what they answer; all conditions must hold, none means all entries.
///
/// An entry is an answer. A signpost (`StoredResponse.selecting`) is removed with the answers it
/// leads to, never counted; and neither counted nor softened is what was composed: it goes with any
/// of its parts, and can be composed again.
public struct EntrySelection: Sendable, Equatable {
    /// A condition on an entry. For a new case the compiler asks what it means in memory and of
    /// answers to come (`holds`), in the file (`term`) and in the log of the shared tier
    /// (`ConditionField`): a purge can forget none of these.
    public enum Condition: Sendable, Equatable {
        /// The canonical path and query, exactly. It chooses all variants, no matter who may see
        /// the answer.
        case target([UInt8])
        /// The beginning of the canonical path and query.
        case prefix([UInt8])
        /// A pattern that the canonical path matches, whatever the query.
        case pattern(PathPattern)
        /// Two lower-case letters.
        case storefront([UInt8])
        case classTag(UInt8)
        /// The number of a resource that the content names (`StoredResponse.resources`).
        case resource(UInt64)
    }

    public private(set) var conditions: [Condition]

    /// Without conditions: everything.
    public init(_ conditions: [Condition] = []) { self.conditions = conditions }

    /// One more condition that must hold.
    public mutating func narrow(by condition: Condition) { conditions.append(condition) }

    /// The bytes that its conditions name.
    package var byteCount: Int {
        conditions.reduce(0) { sum, condition in
            switch condition {
            case .target(let bytes), .prefix(let bytes), .storefront(let bytes): sum + bytes.count
            case .pattern(let pattern): sum + pattern.bytes.count
            case .classTag, .resource: sum
            }
        }
    }

    /// Whether `response` is among the chosen.
    public func matches(_ response: StoredResponse) -> Bool { chooses(response) }

    func chooses(_ answer: some SelectableAnswer) -> Bool { conditions.allSatisfy { $0.holds(for: answer) } }
}

/// An answer as conditions see it: a stored one, or one that the origin may give.
protocol SelectableAnswer {
    associatedtype Target: Collection<UInt8>
    var storefront: [UInt8] { get }
    /// Whether the test holds for a target that it answers, or one of its parts does.
    func answers(_ test: (Target) -> Bool) -> Bool
    func mayBeOfClass(_ tag: UInt8) -> Bool
    func mayName(_ resource: UInt64) -> Bool
}

/// An answer that purges change or remove.
protocol PurgeableAnswer: SelectableAnswer, Sendable {
    /// The rest of a chosen one; nil where it goes.
    func left(by purge: Purge) -> Self?
}

extension EntrySelection.Condition {
    func holds(for answer: some SelectableAnswer) -> Bool {
        switch self {
        case .target(let target): answer.answers { $0.elementsEqual(target) }
        case .prefix(let prefix): answer.answers { $0.starts(with: prefix) }
        case .pattern(let pattern): answer.answers { pattern.matches($0) }
        case .storefront(let storefront): answer.storefront == storefront
        case .classTag(let tag): answer.mayBeOfClass(tag)
        case .resource(let resource): answer.mayName(resource)
        }
    }
}

/// The effect of a purge on the entries chosen.
public enum PurgeMode: Sendable {
    /// Removes them.
    case hard
    /// Takes their freshness away, so that the next request revalidates them or finds them stale.
    case soft
    /// Only counts them.
    case dryRun
}

/// A purge as both tiers carry it out.
struct Purge: Sendable, Equatable {
    let selection: EntrySelection
    let mode: PurgeMode
    /// When it was asked for, unix seconds: where the freshness of the chosen ends, if it is soft.
    let now: Int64

    /// Whether it only counts.
    var isCount: Bool { mode == .dryRun }

    /// Whether nothing older is left once it has ended.
    var endsAll: Bool { mode != .dryRun && selection.conditions.isEmpty }

    /// Whether nothing is left for the other one to do after this one.
    func supersedes(_ other: Purge) -> Bool {
        selection == other.selection && mode == other.mode && now >= other.now
    }

    /// The effect on a chosen `response`.
    func fate(of response: StoredResponse) -> Fate {
        switch mode {
        case .dryRun: .stays
        case .hard: .goes
        // A signpost has no content that could be too old, and what it leads to is softened itself.
        case .soft where response.isSignpost: .stays
        case .soft where response.composition != nil: .goes
        case .soft: .becomes(response.withoutFreshness(at: now))
        }
    }

    enum Fate {
        case stays, goes
        case becomes(StoredResponse)
    }
}

extension Purge {
    /// One of everything in place of others; hard where one of them is.
    init(widening purges: [Purge]) {
        let isHard = purges.contains { $0.mode == .hard }
        let last = purges.map(\.now).max() ?? .min
        self.init(selection: EntrySelection(), mode: isHard ? .hard : .soft, now: last)
    }
}

/// The answers that a purge chose, each once, be it in memory, on disk or between the two.
struct PurgeCount: Sendable {
    private(set) var total = 0
    /// The rows of shared answers that were found in memory or in the queue, to be known again on
    /// disk.
    private var rows: Set<Int64> = []

    /// Counts an answer in memory or in the queue, unless it has been.
    mutating func add(_ response: StoredResponse) {
        guard response.countsAsEntry else { return }
        if response.key.isPersonal || rows.insert(SQLiteStore.index(of: response.key)).inserted { total += 1 }
    }

    /// Rows that are about to go are not counted on disk.
    mutating func ignore(rows: [Int64]) { self.rows.formUnion(rows) }

    /// Counts an answer on disk. Each row is met once.
    mutating func add(row: Int64) {
        if !rows.contains(row) { total += 1 }
    }
}

extension StoredResponse: PurgeableAnswer {
    func left(by purge: Purge) -> StoredResponse? {
        switch purge.fate(of: self) {
        case .stays: self
        case .goes: nil
        case .becomes(let rest): rest
        }
    }

    /// Whether purges count it.
    var countsAsEntry: Bool { !isSignpost && composition == nil }

    func answers(_ test: (ArraySlice<UInt8>) -> Bool) -> Bool {
        test(key.target) || composition?.parts.contains { test($0.target) } ?? false
    }

    /// The classes of parts are not kept, so a composed answer counts as of all classes.
    func mayBeOfClass(_ tag: UInt8) -> Bool { composition != nil || classTag == tag }

    /// Whether the content names the resource of this number, as far as anyone can tell.
    func mayName(_ resource: UInt64) -> Bool {
        Self.mayName(resource, resources)
            || composition?.named.contains(where: { Self.mayName(resource, $0) }) ?? false
    }

    /// - Parameter resources: ascending.
    static func mayName(_ resource: UInt64, _ resources: [UInt64]) -> Bool {
        if resources.last == everyResource { return true }
        var (low, high) = (0, resources.count)
        while low < high {
            let middle = (low + high) / 2
            if resources[middle] < resource { low = middle + 1 } else { high = middle }
        }
        return low < resources.count && resources[low] == resource
    }
}
