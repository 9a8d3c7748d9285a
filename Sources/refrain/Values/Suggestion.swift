import Text

/// Finds the name that was meant.
enum Suggestion {
    /// `; did you mean "NAME"?`, or nothing where no name is near.
    static func text(for word: String, in names: [String]) -> String {
        nearest(to: word, in: names).map { "; did you mean \"\($0)\"?" } ?? ""
    }

    /// The name that is the fewest edits away from `word`, if that is at most a third of its length
    /// (one at least).
    static func nearest(to word: String, in names: [String]) -> String? {
        guard word.utf8.count <= 64 else { return nil }
        let ranked = names.map { (name: $0, distance: editDistance(Array(word.utf8), Array($0.utf8))) }
        guard let best = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
        return best.distance <= max(1, best.name.utf8.count / 3) ? best.name : nil
    }
}
