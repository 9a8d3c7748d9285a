import AppleMusic

/// The counters of `GET /stats` for people: one a line, nested ones with their path, and the share of hits.
enum StatsTable {
    static func text(of stats: JSON) -> String {
        let rows = rows(of: stats, prefix: "") + shares(of: stats)
        let names = rows.map(\.name.count).max() ?? 0
        let values = rows.map(\.value.count).max() ?? 0
        return rows.map { row in
            let gap = String(repeating: " ", count: values - row.value.count)
            return HelpText.padded(row.name, to: names + 2) + gap + row.value + "\n"
        }.joined()
    }

    private static func rows(of value: JSON, prefix: String) -> [(name: String, value: String)] {
        switch value {
        case .object(let object):
            object.members.flatMap { rows(of: $0.value, prefix: prefix.isEmpty ? $0.key : prefix + "." + $0.key) }
        case .array(let elements):
            elements.enumerated().flatMap { rows(of: $0.element, prefix: "\(prefix).\($0.offset)") }
        case .string(let text): [(prefix, String(text.map { $0.isNewline ? " " : $0 }))]
        case .number(let lexeme): [(prefix, lexeme)]
        case .bool(let isTrue): [(prefix, isTrue ? "yes" : "no")]
        case .null: [(prefix, "-")]
        }
    }

    /// `hits` of `requests`, in tenths of a percent, rounded down so that 100 % means all.
    private static func shares(of stats: JSON) -> [(name: String, value: String)] {
        guard let requests = stats["requests"]?.intValue, let hits = stats["hits"]?.intValue, requests > 0 else {
            return []
        }
        let perMille = hits * 1000 / requests
        return [("hits of requests", "\(perMille / 10).\(perMille % 10) %")]
    }
}
