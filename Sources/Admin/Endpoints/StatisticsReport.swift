import Cache
import Proxy

/// The counters as `/stats` gives them: one JSON object, every member an integer but `reasons`, an object of
/// integers.
struct StatisticsReport {
    private let source: StatisticsSource

    init(_ source: StatisticsSource) {
        self.source = source
    }

    var json: [UInt8] {
        var members = Counter.allCases.map { "\"\($0.name)\":\(source[$0])" }
        let upstream = source.upstream
        // Every member is an integer: 0 says that nothing limits the rate.
        members.append("\"upstream_rate\":\(upstream.rate ?? 0)")
        members.append("\"upstream_in_flight\":\(upstream.inFlight)")
        members.append("\"upstream_waiting\":\(upstream.waiting)")
        members.append("\"forms_resting\":\(source.restingForms)")
        members.append("\"entries\":\(source.entries)")
        members.append("\"cache_bytes\":\(source.cacheBytes)")
        members.append("\"memory_bytes\":\(source.memoryBytes)")
        let store = source.store
        members.append("\"store_written\":\(store.written)")
        members.append("\"store_evicted\":\(store.evicted)")
        members.append("\"store_dropped\":\(store.dropped)")
        members.append("\"store_failures\":\(store.failedTransactions + store.failedReads)")
        members.append("\"store_damaged\":\(store.damaged)")
        let reasons = Reason.allCases.map { "\"\($0.text)\":\(source[because: $0])" }
        members.append("\"reasons\":{\(reasons.joined(separator: ","))}")
        return Array(("{" + members.joined(separator: ",") + "}\n").utf8)
    }
}
