/// One run of wrk: a closed loop of `connections` clients that ask for one URL as fast as they are answered.
struct WrkResult {
    let requestsPerSecond: Double
    /// In milliseconds.
    let p99: Double
    let errors: Int

    static func measure(_ url: String, connections: Int, seconds: Int) throws -> WrkResult {
        guard let wrk = Child.find("wrk") else { throw BenchError("wrk is not installed (apt-get install wrk)") }
        let text = try Child.output(
            of: wrk, ["-t1", "-c\(connections)", "-d\(seconds)s", "--latency", "-H", "Accept: application/json", url])
        var rate: Double?
        var p99: Double?
        var errors = 0
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.first == "Requests/sec:" { rate = Double(words[1]) }
            if words.first == "99%", words.count > 1 { p99 = milliseconds(String(words[1])) }
            if words.first == "Non-2xx", let count = words.last.flatMap({ Int($0) }) { errors += count }
            if words.first == "Socket" { errors += words.compactMap { Int($0.filter(\.isNumber)) }.reduce(0, +) }
        }
        guard let rate, let p99 else { throw BenchError("wrk printed no figures for \(url):\n\(text)") }
        return WrkResult(requestsPerSecond: rate, p99: p99, errors: errors)
    }

    private static func milliseconds(_ text: String) -> Double? {
        if text.hasSuffix("us") { return Double(text.dropLast(2)).map { $0 / 1000 } }
        if text.hasSuffix("ms") { return Double(text.dropLast(2)) }
        return text.hasSuffix("s") ? Double(text.dropLast()).map { $0 * 1000 } : nil
    }
}

extension [Double] {
    var median: Double {
        let ordered = sorted()
        return ordered.count % 2 == 1
            ? ordered[count / 2] : (ordered[count / 2 - 1] + ordered[count / 2]) / 2
    }
}
