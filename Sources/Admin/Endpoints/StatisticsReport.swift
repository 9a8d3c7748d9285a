import Cache
import Proxy
import Text

/// The counters as `/stats` gives them: every member an integer but `reasons`, an object of
/// integers.
struct StatisticsReport {
    private let source: StatisticsSource

    init(_ source: StatisticsSource) {
        self.source = source
    }

    var object: JSONObject {
        var object = JSONObject()
        for counter in Counter.allCases { object.append(counter.name, .integer(source[counter])) }
        let (upstream, store) = (source.upstream, source.store)
        let others: KeyValuePairs<String, Int> = [
            // Every member is an integer: 0 says that nothing limits the rate.
            "upstream_rate": upstream.rate ?? 0,
            "upstream_in_flight": upstream.inFlight,
            "upstream_waiting": upstream.waiting,
            "forms_resting": source.restingForms,
            "entries": source.entries,
            "cache_bytes": source.cacheBytes,
            "memory_bytes": source.memoryBytes,
            "store_written": store.written,
            "store_evicted": store.evicted,
            "store_dropped": store.dropped,
            "store_failures": store.failedTransactions + store.failedReads,
            "store_damaged": store.damaged,
        ]
        for (name, number) in others { object.append(name, .integer(number)) }
        var reasons = JSONObject()
        for reason in Reason.allCases { reasons.append(reason.text, .integer(source[because: reason])) }
        object.append("reasons", .object(reasons))
        return object
    }
}
