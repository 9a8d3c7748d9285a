/// One run of wrk: a closed loop of `connections` clients on one thread, each asking again as soon
/// as it is answered.
struct WrkResult: Equatable {
    let requests: Int
    let requestsPerSecond: Double
    /// Milliseconds.
    let p50: Double
    let p99: Double
    /// Answers other than 2xx and 3xx, and failures of sockets.
    let errors: Int

    /// - Parameter script: its file and its arguments, if any.
    static func measure(
        _ url: String, connections: Int, seconds: Int, script: [String] = []
    ) throws -> WrkResult {
        guard let wrk = Child.find("wrk") else { throw BenchError("wrk is not installed (apt-get install wrk)") }
        var arguments = ["-t1", "-c\(connections)", "-d\(seconds)s", "--timeout", "10s", "--latency"]
        arguments += ["-H", "Accept: application/json"]
        if let file = script.first { arguments += ["-s", file] }
        arguments.append(url)
        if script.count > 1 { arguments += ["--"] + script.dropFirst() }
        let text = try Child.output(of: wrk, arguments)
        guard let result = WrkResult(text) else { throw BenchError("wrk printed no figures for \(url):\n\(text)") }
        return result
    }

    /// Reads the output of wrk; nil where a figure is missing.
    init?(_ text: String) {
        var (rate, p50, p99): (Double?, Double?, Double?)
        var (requests, errors): (Int?, Int) = (nil, 0)
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard let first = words.first, words.count > 1 else { continue }
            switch first {
            case "Requests/sec:": rate = Double(words[1])
            case "50%": p50 = Self.milliseconds(words[1])
            case "99%": p99 = Self.milliseconds(words[1])
            case "Non-2xx": errors += words.last.flatMap { Int($0) } ?? 0
            case "Socket": errors += words.compactMap { Int($0.filter(\.isNumber)) }.reduce(0, +)
            default: if words[1] == "requests" { requests = Int(first) }
            }
        }
        guard let rate, let p50, let p99, let requests else { return nil }
        self.requests = requests
        requestsPerSecond = rate
        self.p50 = p50
        self.p99 = p99
        self.errors = errors
    }

    /// A time as such tools write it: `850.00us`, `1.05ms`, `2.00s`, `1.50m`.
    static func milliseconds(_ text: Substring) -> Double? {
        for (suffix, scale) in [("us", 0.001), ("ms", 1), ("s", 1000), ("m", 60_000)] where text.hasSuffix(suffix) {
            return Double(text.dropLast(suffix.count)).map { $0 * scale }
        }
        return nil
    }
}
