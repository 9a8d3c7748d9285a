/// A value that is a sample, or none.
protocol MetricValue: Sendable {
    var number: Double? { get }
}

extension Int: MetricValue { var number: Double? { Double(self) } }
extension Int64: MetricValue { var number: Double? { Double(self) } }
extension Double: MetricValue { var number: Double? { self } }
/// 1 for true.
extension Bool: MetricValue { var number: Double? { self ? 1 : 0 } }
extension Optional: MetricValue where Wrapped: MetricValue { var number: Double? { flatMap(\.number) } }
