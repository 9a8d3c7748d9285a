@testable import Admin

/// The metrics and labels that a PromQL expression names; enough of the language to hold the
/// project's own to the table.
struct Expression {
    let text: String
    private(set) var problems: [String] = []
    private(set) var families: [MetricFamily] = []

    /// Labels that Prometheus itself adds to a scraped series.
    private static let scrapeLabels: Set = ["job", "instance"]
    private static let functions: Set = [
        "sum", "min", "rate", "increase", "histogram_quantile", "time", "by", "label_values", "Inf", "abs",
    ]

    init(_ text: String) {
        self.text = text
        var rest = text
        // Label matchers, with the metric before them.
        for match in text.matches(of: /([a-z_]+)\{([^}]*)\}/) {
            let matchers = match.2.matches(of: /([a-z_]+)=~?"([^"]*)"/)
            let left = matchers.reduce(String(match.2)) { $0.replacing(String($1.0), with: "") }
            if !left.allSatisfy({ $0 == "," || $0 == " " }) { problems.append("not understood: \(match.0)") }
            note(String(match.1), labels: matchers.map { String($0.1) })
            for matcher in matchers where matcher.1 == "outcome" { noteOutcomes(String(matcher.2)) }
        }
        rest = rest.replacing(/\{[^}]*\}/, with: "").replacing(/\[[^\]]*\]/, with: "")
        let groups = rest.matches(of: /by \(([^)]*)\)/)
        rest = rest.replacing(/by \([^)]*\)/, with: "").replacing(/label_values\(([a-z_]+), [a-z_]+\)/) { "\($0.1)" }
        for match in rest.matches(of: /[a-zA-Z_]+/) where !Self.functions.contains(String(match.0)) {
            note(String(match.0), labels: [])
        }
        let known = families.reduce(into: Self.scrapeLabels.union(["le"])) { $0.formUnion($1.labels) }
        for group in groups {
            for label in group.1.split(separator: ",").map({ $0.filter { $0 != " " } }) where !known.contains(label) {
                problems.append("no metric here has the label \(label)")
            }
        }
    }

    private mutating func note(_ name: String, labels: [String]) {
        if name == "up" { return }
        let family = MetricFamily.table.first { family in
            switch family.kind {
            case .counter, .gauge: family.name == name
            case .histogram: ["_bucket", "_sum", "_count"].contains { family.name + $0 == name }
            case .summary: ["_sum", "_count"].contains { family.name + $0 == name }
            }
        }
        guard let family else { return problems.append("there is no metric \(name)") }
        families.append(family)
        let known = Self.scrapeLabels.union(family.labels)
        for label in labels where !known.contains(label) { problems.append("\(name) has no label \(label)") }
    }

    private mutating func noteOutcomes(_ value: String) {
        for name in value.split(separator: "|") where !MetricFamily.outcomeNames.contains(String(name)) {
            problems.append("there is no outcome \(name)")
        }
    }
}
