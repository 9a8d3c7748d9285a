import Cache
import Proxy
import Recording

/// Sources and controls of the operator's surface.
public struct AdminSources: Sendable {
    let statistics: StatisticsSource
    let cache: ResponseCache
    /// The token that operators must present.
    let access: AdminAccess
    /// How reloads of the configuration went.
    public var reloads = ReloadStatus()
    /// Calls of the listener that were refused.
    public var refusals = AdminRefusals()
    /// Files of certificates, and whether each is outdated.
    public var certificateFiles: @Sendable () -> [CertificateFileStatus] = { [] }
    /// Version of the program.
    let version: String
    /// When the proxy began, in Unix seconds; the listener may have begun later.
    let startedAt: Int64
    /// Explains how a request would be answered; nil where there is no proxy to ask.
    let explain: @Sendable (HypotheticalRequest, @escaping @Sendable (Explanation?) -> Void) -> Void
    /// Status of the recording.
    public var recording: @Sendable () -> RecordingStatus = { RecordingStatus() }
    /// Switches the recording, and calls back with the result; nil where nothing is
    /// configured. Only the configuration says where to: a client that could name a file here could
    /// have any file of the proxy's user written.
    public var turnRecording: TurnRecording = { $1(nil) }
    /// Reads the configuration again, and calls back with the result.
    public var reload: @Sendable (@escaping @Sendable (ReloadOutcome) -> Void) -> Void = { completion in
        completion(.refused(["there is no configuration to reload"]))
    }
    /// False while the proxy is draining.
    let isServing: @Sendable () -> Bool
    /// This process among the nodes that share a tier; nil where it is the only one.
    public var node: ProxyNode?
    /// Writes a line to the program's own log, about a change by an operator.
    public var log: @Sendable (String) -> Void = { _ in }

    /// Switches the recording; see `turnRecording`.
    public typealias TurnRecording =
        @Sendable (
            Bool, @escaping @Sendable (Result<RecordingStatus, RecordingError>?) -> Void
        ) -> Void

    /// Sources of a proxy that records and reloads nothing and keeps no log.
    public init(
        statistics: StatisticsSource, cache: ResponseCache, access: AdminAccess, version: String, startedAt: Int64,
        explain: @escaping @Sendable (HypotheticalRequest, @escaping @Sendable (Explanation?) -> Void) -> Void,
        isServing: @escaping @Sendable () -> Bool
    ) {
        (self.statistics, self.cache, self.access, self.version) = (statistics, cache, access, version)
        (self.startedAt, self.explain, self.isServing) = (startedAt, explain, isServing)
    }
}

extension AdminSources {
    /// Whether clients may be sent here, and why not.
    public struct Availability: Sendable {
        public internal(set) var isReady = true
        public internal(set) var words = "ready"
        /// Whether it does without an engine that it shares with others.
        var isAlone = false
        /// Whether the engine refuses commands.
        var isRefused = false
    }
}

extension AdminSources.Availability {
    /// - Parameters:
    ///   - isServing: false while the process drains.
    ///   - node: nil without a shared tier.
    public init(isServing: Bool, node: ProxyNode?) {
        self.init()
        guard isServing else {
            (isReady, words) = (false, "draining")
            return
        }
        guard let status = node?.status, let isReady = node?.isReady else { return }
        self.isReady = isReady
        // Without an engine a node is ready after a while: clients are better served than refused.
        isAlone = isReady && status.readiness != .ready
        words = (isAlone ? "ready; " : "") + status.words
        isRefused = !status.refusals.isEmpty
    }
}

extension AdminSources {
    var availability: Availability { Availability(isServing: isServing(), node: node) }
}
