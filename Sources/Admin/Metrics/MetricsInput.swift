import Cache
import Proxy

/// Sources of the metrics, all of one moment.
struct MetricsInput: Sendable {
    let source: StatisticsSource
    let breakdown: StorageBreakdown
    let reloads: ReloadStatus.Snapshot
    let process: ProcessFigures
    let version: String
    let unixSeconds: Int64
    /// Nil where there is no shared tier.
    var tier: TierFigures?

    /// All metrics, in the Prometheus text format.
    var text: String {
        var text = ""
        for family in MetricFamily.table { family.append(self, to: &text) }
        return text
    }

    /// The content type of `text`.
    static let contentType: StaticString = "text/plain; version=0.0.4; charset=utf-8"
}
