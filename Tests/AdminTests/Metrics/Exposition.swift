import Testing

/// The Prometheus text format as documented, read strictly, as a scraper would.
struct Exposition {
    struct Sample {
        let name: String
        let labels: [String: String]
        let value: Double
    }

    struct Malformed: Error, CustomStringConvertible {
        let description: String
    }

    private(set) var kinds: [String: String] = [:]
    private(set) var samples: [Sample] = []

    init(_ text: String) throws {
        guard text.hasSuffix("\n") else { throw Malformed(description: "the last line has no end") }
        var family = ""
        for line in text.dropLast().split(separator: "\n", omittingEmptySubsequences: false) {
            if let help = line.wholeMatch(of: /# HELP ([a-z_:][a-z0-9_:]*) (.+)/) {
                family = String(help.1)
                guard kinds[family] == nil else { throw Malformed(description: "\(family) is there twice") }
                kinds[family] = ""
            } else if let type = line.wholeMatch(of: /# TYPE ([a-z_:][a-z0-9_:]*) (counter|gauge|histogram|summary)/) {
                guard type.1 == family, kinds[family] == "" else { throw Malformed(description: "\(line)") }
                kinds[family] = String(type.2)
            } else {
                samples.append(try Self.sample(line, of: family, kinds[family] ?? ""))
            }
        }
    }

    func values(_ name: String) -> [Double] { samples.filter { $0.name == name }.map(\.value) }

    func value(_ name: String, _ labels: [String: String] = [:]) -> Double? {
        samples.first { $0.name == name && $0.labels == labels }?.value
    }

    private static func sample(_ line: Substring, of family: String, _ kind: String) throws -> Sample {
        guard let match = line.wholeMatch(of: /([a-z_:][a-z0-9_:]*)(?:\{(.*)\})? ([^ ]+)/), !kind.isEmpty else {
            throw Malformed(description: "\(line)")
        }
        let name = String(match.1)
        let suffixes = ["histogram": ["_bucket", "_sum", "_count"], "summary": ["_sum", "_count"]][kind] ?? [""]
        let names = suffixes.map { family + $0 }
        guard names.contains(name) else { throw Malformed(description: "\(name) among \(family)") }
        var labels: [String: String] = [:]
        var rest = match.2 ?? ""
        while !rest.isEmpty {
            guard let pair = rest.prefixMatch(of: /([a-z_]+)="((?:[^"\\]|\\[n"\\])*)"(?:,|$)/) else {
                throw Malformed(description: "\(line)")
            }
            guard labels.updateValue(String(pair.2), forKey: String(pair.1)) == nil else {
                throw Malformed(description: "\(line)")
            }
            rest = rest[pair.range.upperBound...]
        }
        guard let value = match.3 == "+Inf" ? .infinity : Double(match.3) else {
            throw Malformed(description: "\(line)")
        }
        return Sample(name: name, labels: labels, value: value)
    }
}
