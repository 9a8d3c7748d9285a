/// What came of one configuration.
public struct WhatIfFigures: Sendable, Equatable {
    /// What happened in a span of the trace.
    public struct Interval: Sendable, Equatable {
        /// Since the first request.
        public var start: Duration
        public var length: Duration
        public var hits = 0
        public var misses = 0
        public var upstreamRequests = 0

        /// nil where nothing was asked that a cache could have answered.
        public var hitRatio: Double? { hits + misses > 0 ? Double(hits) / Double(hits + misses) : nil }
        /// Requests a second to the origin.
        public var upstreamRate: Double { Double(upstreamRequests) / max(length / .seconds(1), 0.001) }
    }

    public var name: String
    public var requests = 0
    /// Answered without waiting for the origin: `composed` and `stale` among them.
    public var hits = 0
    public var misses = 0
    /// That no cache may answer: all personal ones are among them.
    public var passes = 0
    public var composed = 0
    public var stale = 0
    public var collapsed = 0
    public var revalidated = 0
    /// That got no answer, or one of 500 and above.
    public var failed = 0
    public var upstreamRequests = 0
    /// The most within one second.
    public var peakUpstreamRate = 0
    /// Bytes of content.
    public var bytesFromUpstream = 0
    public var bytesToClients = 0
    /// Answers that had to make room: in memory, and in the cache file.
    public var evictedFromMemory = 0
    public var evictedFromFile = 0
    /// Of `upstreamRequests`: answered with content of the recorded length, for want of the content
    /// itself; put together of recorded resources; not to be answered out of the recording.
    public var filled = 0
    public var assembled = 0
    public var notRecorded = 0
    /// In the order of time, equally long but for the last.
    public var intervals: [Interval] = []

    /// nil where nothing was asked that a cache could have answered.
    public var hitRatio: Double? { hits + misses > 0 ? Double(hits) / Double(hits + misses) : nil }
}
