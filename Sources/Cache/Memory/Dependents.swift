// Which composed answers were made from which stored ones, so that they go when a part changes.
// Must hold: every composed answer in memory has its record here, for each of its parts. Code that
// adds a record is told which records gave way to it, and drops their answers. Parts are known by
// the hashes of their keys: two that share one go together, which costs an answer and breaks
// nothing; all answers of a part were made while it named the same resources. No more than
// `maxParts` parts are held, and `maxAnswersOfPart` answers of each.

struct Dependents {
    /// A composed answer. Another one under the same key has another composition.
    struct Record {
        let key: CacheKey
        let composition: Composition
    }

    /// The most answers of one part: where an artist is part of more, those composed long ago give
    /// way.
    static let maxAnswersOfPart = 256

    private struct Part {
        /// The resources that it names, as `StoredResponse.resources`.
        var named: [UInt64]
        /// The numbers of the answers that were made from it, the oldest first.
        var answers: [Int] = []
    }

    let maxParts: Int
    private var records: [Int: Record] = [:]
    /// By the hashes of their keys.
    private var parts: [UInt64: Part] = [:]
    private(set) var partCount = 0
    private var next = 0
    /// Number of the oldest record that may be there; all before it are gone.
    private var oldest = 0

    init(maxParts: Int) { self.maxParts = maxParts }

    /// In proportion to a memory tier of that size: its records take a sixteenth of that at most,
    /// and some 8 MiB.
    static func maxParts(beside memoryBytes: Int) -> Int { min(memoryBytes / 2_048, 1 << 16) }

    var count: Int { records.count }

    /// Adds a record, which has `maxParts` parts at most, and returns those that gave way to it.
    mutating func add(_ record: Record) -> [Record] {
        var lost: [Record] = []
        let parts = record.composition.parts
        while partCount + parts.count > maxParts {
            if let record = take(oldest) { lost.append(record) }
            oldest += 1
        }
        for (part, named) in zip(parts, record.composition.named) {
            if let known = self.parts[part.hash], known.named != named {
                lost += take(madeFrom: part)
                // Two parts of one answer that share a hash name any resource.
                self.parts[part.hash]?.named = [.max]
            }
            if let all = self.parts[part.hash]?.answers, all.count >= Self.maxAnswersOfPart, let record = take(all[0]) {
                lost.append(record)
            }
            self.parts[part.hash, default: Part(named: named)].answers.append(next)
        }
        records[next] = record
        partCount += parts.count
        next += 1
        return lost
    }

    /// Whether an answer was made from this part.
    func hasAnswers(from part: borrowing CacheKey) -> Bool { parts[part.hash] != nil }

    /// Takes out the records of all answers made from this part.
    mutating func take(madeFrom part: borrowing CacheKey) -> [Record] {
        let found = parts[part.hash]?.answers ?? []
        return found.compactMap { take($0) }
    }

    /// Takes out the records of all answers that were made from a part which names one of these
    /// resources, or may name any. It looks at all parts: a map of what each names would take as
    /// much memory as the parts.
    mutating func take(naming resources: Set<UInt64>) -> [Record] {
        let wanted = resources.sorted()
        let found = parts.values.filter { Self.shareOne($0.named, wanted) || $0.named.last == .max }
        return Set(found.flatMap(\.answers)).compactMap { take($0) }
    }

    /// Whether a number is in both, which are ascending.
    private static func shareOne(_ one: [UInt64], _ other: [UInt64]) -> Bool {
        var (left, right) = (0, 0)
        while left < one.count, right < other.count {
            if one[left] == other[right] { return true }
            if one[left] < other[right] { left += 1 } else { right += 1 }
        }
        return false
    }

    private mutating func take(_ number: Int) -> Record? {
        guard let record = records.removeValue(forKey: number) else { return nil }
        for part in record.composition.parts {
            guard let index = parts[part.hash]?.answers.firstIndex(of: number) else { continue }
            if parts[part.hash]?.answers.count == 1 {
                parts[part.hash] = nil
            } else {
                parts[part.hash]?.answers.remove(at: index)
            }
        }
        partCount -= record.composition.parts.count
        return record
    }
}
