import Traffic

extension Quantity {
    /// In seconds: as nanoseconds it is an Int64.
    private static let longestSpan: Int64 = 9_000_000_000

    /// Requests in a span of seconds, minutes or hours: `20/s`, `0.5/s`, `30/m`, `1/2s`; one a day
    /// at least, so that no time until the next overflows.
    static func requestRate(_ text: String) throws(ValueError) -> RequestRate {
        let problem = ValueError(text, isNot: "a rate such as 20/s, 0.5/s or 30/m")
        let halves = text.split(separator: "/", omittingEmptySubsequences: false)
        guard halves.count == 2 else { throw problem }
        let number = halves[0].split(separator: ".", omittingEmptySubsequences: false)
        let decimals = number.count > 1 ? number[1] : ""
        let (times, unit) = split(String(halves[1]))
        let units: [Substring: Int64] = ["s": 1, "m": 60, "h": 3600]
        guard number.count <= 2, !number[0].isEmpty, number.count == 1 || !decimals.isEmpty, decimals.count <= 3,
            (number[0] + decimals).allSatisfy({ ("0"..."9").contains($0) }), let requests = Int(number[0] + decimals),
            requests > 0, let count = times.isEmpty ? 1 : Int64(times), (1...3600).contains(count),
            let seconds = units[unit]
        else { throw problem }
        let scale: Int64 = [1, 10, 100, 1000][decimals.count]
        let span = count * seconds * scale
        guard (span - 1) / 86_400 < requests, span <= longestSpan else { throw problem }
        return RequestRate(text, requests: requests, in: .seconds(span))
    }
}
