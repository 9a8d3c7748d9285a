/// Finds the name that was meant.
enum Suggestion {
    /// `; did you mean "NAME"?`, or nothing where no name is near.
    static func text(for word: String, in names: [String]) -> String {
        nearest(to: word, in: names).map { "; did you mean \"\($0)\"?" } ?? ""
    }

    /// The name that is the fewest edits away from `word`, if that is at most a third of its length (one at least).
    static func nearest(to word: String, in names: [String]) -> String? {
        guard word.utf8.count <= 64 else { return nil }
        let ranked = names.map { (name: $0, distance: distance(Array(word.utf8), Array($0.utf8))) }
        guard let best = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
        return best.distance <= max(1, best.name.utf8.count / 3) ? best.name : nil
    }

    /// Insertions, deletions, substitutions and swaps of neighbours (optimal string alignment).
    static func distance(_ first: [UInt8], _ second: [UInt8]) -> Int {
        var before: [Int] = []
        var above = Array(0...second.count)
        for row in first.indices {
            var current = [row + 1]
            for column in second.indices {
                let substitution = above[column] + (first[row] == second[column] ? 0 : 1)
                var best = min(substitution, above[column + 1] + 1, current[column] + 1)
                let isSwap =
                    row > 0 && column > 0 && first[row] == second[column - 1] && first[row - 1] == second[column]
                if isSwap { best = min(best, before[column - 1] + 1) }
                current.append(best)
            }
            before = above
            above = current
        }
        return above[second.count]
    }
}
