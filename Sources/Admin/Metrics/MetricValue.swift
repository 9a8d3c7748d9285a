/// A value that a metric can have.
protocol MetricValue: Sendable {
    /// Nil for no sample.
    var number: Double? { get }
}

extension Int: MetricValue { var number: Double? { Double(self) } }
extension Int64: MetricValue { var number: Double? { Double(self) } }
extension Double: MetricValue { var number: Double? { self } }
/// 1 for true.
extension Bool: MetricValue { var number: Double? { self ? 1 : 0 } }
extension Optional: MetricValue where Wrapped: MetricValue { var number: Double? { flatMap(\.number) } }
