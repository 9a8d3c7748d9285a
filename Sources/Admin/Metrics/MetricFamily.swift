import HTTP

// The Prometheus text format, version 0.0.4, and what a metric is in it.
// Must hold: a name, its kind and its help are written down once, in `MetricFamily.table`; what is
// exposed, the reference page, the dashboard and the alert rules are held to that table.

/// One metric with all its labels' values.
struct MetricFamily: Sendable {
    enum Kind: String, Sendable {
        case counter, gauge, histogram
    }

    struct Sample: Sendable {
        /// Behind the family's name: `_bucket`, `_sum`, `_count` of a histogram.
        var suffix = ""
        /// Values of the family's labels, in their order, and then of `le`.
        var labels: [String] = []
        let value: Double

        init(_ value: Int, _ labels: [String] = []) {
            self.value = Double(value)
            self.labels = labels
        }

        init(_ value: Double, _ labels: [String] = [], suffix: String = "") {
            self.value = value
            self.labels = labels
            self.suffix = suffix
        }
    }

    /// Counters end in `_total`; units are the last word (seconds, bytes).
    let name: String
    let kind: Kind
    /// Names of the labels.
    let labels: [String]
    /// One sentence without a full stop.
    let help: String
    let samples: @Sendable (MetricsInput) -> [Sample]

    static func counter(
        _ name: String, labels: [String] = [], _ help: String, _ samples: @escaping @Sendable (MetricsInput) -> [Sample]
    ) -> MetricFamily {
        MetricFamily(name: name, kind: .counter, labels: labels, help: help, samples: samples)
    }

    static func gauge(
        _ name: String, labels: [String] = [], _ help: String, _ samples: @escaping @Sendable (MetricsInput) -> [Sample]
    ) -> MetricFamily {
        MetricFamily(name: name, kind: .gauge, labels: labels, help: help, samples: samples)
    }

    /// The lines of this metric, with help and type in front. Nothing where there is no sample.
    func append(_ input: MetricsInput, to text: inout String) {
        let samples = samples(input)
        guard !samples.isEmpty else { return }
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
        let names = labels + (kind == .histogram ? ["le"] : [])
        for sample in samples {
            text += name + sample.suffix
            let pairs = zip(names, sample.labels).map { "\($0)=\"\(Self.escaped($1))\"" }
            if !pairs.isEmpty { text += "{" + pairs.joined(separator: ",") + "}" }
            text += " \(Self.spelling(of: sample.value))\n"
        }
    }

    /// A label's value: backslash, quotation mark and line end are escaped.
    private static func escaped(_ value: String) -> String {
        value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }

    static func spelling(of value: Double) -> String {
        if value == .infinity { return "+Inf" }
        if value == value.rounded(), abs(value) < 1e15 { return String(Int(value)) }
        return String(value)
    }
}
