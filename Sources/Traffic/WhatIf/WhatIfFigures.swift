import Proxy

/// Results of one configuration.
public struct WhatIfFigures: Sendable, Equatable {
    /// Counts of a span of the trace.
    struct Interval: Sendable, Equatable {
        /// Since the first request.
        var start: Duration
        var length: Duration
        var hits = 0
        var misses = 0
        var upstreamRequests = 0
    }

    var name: String
    var requests = 0
    /// Answered without waiting for the origin: `composed` and `stale` among them.
    var hits = 0
    var misses = 0
    /// Requests that no cache may answer: all personal ones are among them.
    var passes = 0
    var composed = 0
    var stale = 0
    var collapsed = 0
    var revalidated = 0
    /// Requests that got no answer, or one of 500 and above.
    var failed = 0
    var upstreamRequests = 0
    /// The most within one second.
    var peakUpstreamRate = 0
    /// Bytes of content.
    var bytesFromUpstream = 0
    var bytesToClients = 0
    /// Answers that were evicted from memory, and from the cache file.
    var evictedFromMemory = 0
    var evictedFromFile = 0
    /// Parts of `upstreamRequests`: answered with filler of the recorded length; assembled from
    /// recorded resources; not in the recording.
    var filled = 0
    var assembled = 0
    var notRecorded = 0
    /// In the order of time, equally long but for the last.
    var intervals: [Interval] = []

    /// nil without requests that a cache could have answered.
    var hitRatio: Double? { HitRatio(hits: hits, misses: misses).value }
}
