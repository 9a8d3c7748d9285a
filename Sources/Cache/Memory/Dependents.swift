// Which composed answers were made from which stored ones, so that they go when a part changes.
// Must hold: every composed answer in memory has its record here, for each of its parts. Code that
// adds a record is told which records gave way to it, and drops their answers. Parts are known by
// the hashes of their keys: two that share one go together, which costs an answer and breaks
// nothing. No more than `maxParts` parts are held, and `maxAnswersOfPart` answers of each.

struct Dependents {
    /// A composed answer. Another one under the same key has another composition.
    struct Record {
        let key: CacheKey
        let composition: Composition
    }

    /// The most answers of one part: where an artist is part of more, those composed long ago give
    /// way.
    static let maxAnswersOfPart = 256

    let maxParts: Int
    private var records: [Int: Record] = [:]
    private var numbers: [UInt64: [Int]] = [:]
    private(set) var partCount = 0
    private var next = 0
    /// All before it are gone.
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
        for part in parts {
            if let all = numbers[part.hash], all.count >= Self.maxAnswersOfPart, let record = take(all[0]) {
                lost.append(record)
            }
            numbers[part.hash, default: []].append(next)
        }
        records[next] = record
        partCount += parts.count
        next += 1
        return lost
    }

    /// Whether an answer was made from this part.
    func hasAnswers(from part: borrowing CacheKey) -> Bool { numbers[part.hash] != nil }

    /// Takes out the records of all answers made from this part.
    mutating func take(madeFrom part: borrowing CacheKey) -> [Record] {
        let found = numbers[part.hash] ?? []
        return found.compactMap { take($0) }
    }

    /// Takes out the records of all answers that were made from a part which names one of these
    /// resources; it looks at all records.
    mutating func take(naming resources: Set<UInt64>) -> [Record] {
        records.filter { $0.value.composition.names(anyOf: resources) }.keys.compactMap { take($0) }
    }

    private mutating func take(_ number: Int) -> Record? {
        guard let record = records.removeValue(forKey: number) else { return nil }
        for part in record.composition.parts {
            guard let index = numbers[part.hash]?.firstIndex(of: number) else { continue }
            if numbers[part.hash]?.count == 1 {
                numbers[part.hash] = nil
            } else {
                numbers[part.hash]?.remove(at: index)
            }
        }
        partCount -= record.composition.parts.count
        return record
    }
}
