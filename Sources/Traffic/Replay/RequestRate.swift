/// A number of requests in a span of time: `20/s`, `0.5/s`, `30/m`.
public struct RequestRate: Sendable, Equatable {
    /// The text as it was written.
    public let text: String
    /// At least 1.
    private let requests: Int
    /// In nanoseconds.
    private let span: Int64

    public init(perSecond requests: Int) {
        self.init("\(requests)/s", requests: requests, in: .seconds(1))
    }

    /// - Parameters:
    ///   - text: for reports.
    ///   - requests: at least 1.
    public init(_ text: String, requests: Int, in span: Duration) {
        (self.text, self.requests, self.span) = (text, requests, span.wholeNanoseconds)
    }

    /// For comparisons and reports; due times are computed in whole numbers.
    public var perSecond: Double { Double(requests) * 1e9 / Double(span) }

    /// Between two requests, in nanoseconds.
    var spacing: Int64 { span / Int64(requests) }

    /// Nanoseconds from the start until the request of this number is due, from 0. Thirty years are
    /// the most: no run takes longer.
    func due(_ position: Int) -> Int64 {
        Int64(min(Int128(position) * Int128(span) / Int128(requests), 1_000_000_000_000_000_000))
    }

    /// How many are due before a time in nanoseconds.
    func count(before end: Int64) -> Int {
        Int((Int128(end) * Int128(requests) + Int128(span) - 1) / Int128(span))
    }
}
