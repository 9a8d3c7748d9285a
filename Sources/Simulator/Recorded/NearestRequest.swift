import AppleMusic

/// Finds the recorded request that is most like one that was not recorded: of the same path, else of the same route, else any; of
/// these the one whose text differs least.
enum NearestRequest {
    /// Of texts that are compared letter by letter, and letters of each: an error must not cost seconds.
    private static let mostCompared = 32
    private static let mostLetters = 512

    static func find(_ wanted: RecordedRequest, among recorded: [[UInt8]: Route]) -> String {
        let path = Self.path(of: wanted.key)
        func rank(_ key: [UInt8], _ route: Route) -> Int {
            if Self.path(of: key).elementsEqual(path) { return 2 }
            return route.template.description == wanted.route.template.description ? 1 : 0
        }
        var best: [(key: [UInt8], likeness: Int)] = []
        var bestRank = 0
        for (key, route) in recorded {
            let rank = rank(key, route)
            if rank > bestRank {
                best = []
                bestRank = rank
            }
            if rank == bestRank { best.append((key, likeness(key, wanted.key))) }
        }
        best.sort {
            ($1.likeness, $0.key.count) < ($0.likeness, $1.key.count)
                || $0.likeness == $1.likeness
                    && $0.key.count == $1.key.count && $0.key.lexicographicallyPrecedes($1.key)
        }
        let nearest = best.prefix(mostCompared).map { ($0.key, distance($0.key, wanted.key)) }.min { $0.1 < $1.1 }
        return String(decoding: nearest?.0 ?? [], as: UTF8.self)
    }

    private static func path(of key: [UInt8]) -> ArraySlice<UInt8> { key.prefix { $0 != UInt8(ascii: "?") } }

    /// Letters in common at the beginning and at the end.
    private static func likeness(_ one: [UInt8], _ other: [UInt8]) -> Int {
        let beginning = zip(one, other).prefix { $0 == $1 }.count
        let end = zip(one.reversed(), other.reversed()).prefix { $0 == $1 }.count
        return min(beginning + end, one.count, other.count)
    }

    /// How many letters have to be put in, taken out or replaced to make the one of the other (Levenshtein).
    static func distance(_ one: [UInt8], _ other: [UInt8]) -> Int {
        let (one, other) = (one.prefix(mostLetters), other.prefix(mostLetters))
        var row = Array(0...other.count)
        for (index, letter) in one.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for (column, otherLetter) in other.enumerated() {
                let replaced = diagonal + (letter == otherLetter ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(replaced, row[column] + 1, diagonal + 1)
            }
        }
        return row[other.count]
    }
}
