import Admin
import Text

/// An answer of the admin listener for people: a row for each value.
enum ReplyTable {
    private static let spans: Set<Substring> = [
        "age", "initial_age", "ttl", "fresh_for", "stale_for", "stale_if_error_for", "keep_for",
        "newest_age", "oldest_age",
    ]

    static func text(of answer: JSON, width: Int?) -> String {
        let rows = answer.rows().map { name, value in
            let member = name.split(separator: " ").last ?? ""
            let span = spans.contains(member) ? Int(value).map(SpanOfTime.text) : nil
            return (name.replacing("_", with: " "), span ?? value)
        }
        return Table.text(rows, width: width)
    }
}
