import Foundation

/// One run of h2load on one thread, a closed loop.
struct H2LoadResult: Equatable {
    /// As the handshake has settled it: `h2` or `http/1.1`.
    let spoken: String
    /// Those that were answered 2xx.
    let requests: Int
    let requestsPerSecond: Double
    let errors: Int

    /// - Throws: `BenchError` where h2load has no figures.
    static func measure(_ url: String, _ options: [String]) throws -> H2LoadResult {
        guard let program = Child.find("h2load") else {
            throw BenchError("h2load is not installed (apt-get install nghttp2-client)")
        }
        let text = try Child.output(of: program, ["-t1", "-H", "accept: application/json"] + options + [url])
        guard let result = H2LoadResult(text) else {
            throw BenchError("h2load printed no figures for \(url):\n\(text)")
        }
        return result
    }

    /// Reads the output of h2load; nil where a figure is missing.
    init?(_ text: String) {
        var (spoken, rate): (String?, Double?)
        var (requests, errors): (Int?, Int?)
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            func number(before word: String) -> Int? {
                words.firstIndex { $0.hasPrefix(word) }.flatMap { $0 > 0 ? Int(words[$0 - 1]) : nil }
            }
            if line.hasPrefix("Application protocol: ") {
                spoken = words.last.map(String.init)
            } else if line.hasPrefix("finished in "), words.count > 3 {
                rate = Double(words[3])
            } else if line.hasPrefix("requests: ") {
                errors = number(before: "failed")
            } else if line.hasPrefix("status codes: ") {
                requests = number(before: "2xx")
            }
        }
        guard let spoken, let rate, let requests, let errors else { return nil }
        self.spoken = spoken
        self.requests = requests
        requestsPerSecond = rate
        self.errors = errors
    }
}
