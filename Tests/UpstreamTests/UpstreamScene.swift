import HTTP
import Synchronization
import TestSupport

@testable import EventLoop
@testable import Upstream

/// The bytes of a whole answer.
func wholeAnswer(_ text: String, status: Int = 200, fields: String = "") -> [UInt8] {
    Array("HTTP/1.1 \(status) X\r\n\(fields)Content-Length: \(text.utf8.count)\r\n\r\n\(text)".utf8)
}

extension ScriptedOrigin.Step {
    static func answer(_ text: String, fields: String = "") -> Self { .send(wholeAnswer(text, fields: fields)) }

    /// Answers each request with its target.
    static let echo = Self.serve { wholeAnswer(String($0.split(separator: " ")[1])) }
}

/// A loop with a pool in front of a scripted origin. The pool is used through `onLoop`.
final class UpstreamScene {
    let loop: EventLoop
    let origin: ScriptedOrigin
    private let front: TLSFront?
    private var pool: UpstreamPool?

    /// - Parameter front: ends TLS before the origin; nil without TLS.
    init(
        _ origin: ScriptedOrigin, tls: ClientTLS? = nil, front: TLSFront? = nil,
        _ adjust: (inout UpstreamSettings) -> Void = { _ in }
    ) throws {
        self.origin = origin
        self.front = front
        let loop = try EventLoop(label: "upstream test")
        let port = front?.port ?? origin.port
        var settings = UpstreamSettings(endpoint: Endpoint(isTLS: tls != nil, host: "127.0.0.1", port: port))
        // A busy machine is no origin that cannot be reached.
        settings.timeouts.connect = .seconds(Patience.seconds(60))
        adjust(&settings)
        self.loop = loop
        let resolver = Resolver()
        pool = loop.sync { UpstreamPool(settings: settings, tls: tls, loop: loop, resolver: resolver) }
    }

    deinit {
        // Where it lived.
        loop.sync { pool = nil }
        loop.stop()
    }

    /// Lets go of the pool, after which nothing more can be sent.
    func dropPool() {
        loop.sync { pool = nil }
    }

    func onLoop<R>(_ body: (UpstreamPool) -> R) -> R {
        loop.sync { body(pool!) }
    }

    /// Sends a request; the receiver records its answer.
    @discardableResult
    func send(
        _ method: HTTP.Method = .get, _ path: String = "/", body: [UInt8] = [], pausing: Bool = false,
        cancelling: RecordingReceiver.Call? = nil, takenBack: Bool = false
    ) -> RecordingReceiver {
        let length = body.isEmpty ? "" : "Content-Length: \(body.count)\r\n"
        let head = "\(method.text) \(path) HTTP/1.1\r\nHost: origin.test\r\n\(length)\r\n"
        let receiver = RecordingReceiver(pausing: pausing, cancelling: cancelling)
        onLoop { pool in
            let request = UpstreamRequest(method: method, head: Array(head.utf8), body: body)
            receiver.exchange = pool.send(request, to: receiver)
            receiver.hasReturned = true
            // In the same call: before anything of it can have left.
            if takenBack { receiver.exchange?.cancel() }
        }
        return receiver
    }

    /// Connections of the pool that are unused now, and that carry an exchange.
    var idle: Int { onLoop { $0.state.idle.count } }
    var leased: Int { onLoop { $0.state.counts.leased } }
}

/// Records the events of an exchange. Confined to the loop but for `end` and `began`.
final class RecordingReceiver: UpstreamReceiver {
    enum End: Sendable {
        case answered(UpstreamResponse)
        /// A streamed answer, put together.
        case finished(UpstreamResponse, content: [UInt8])
        case failed(UpstreamFailure, content: [UInt8]?)
    }

    var exchange: UpstreamExchange?
    var hasReturned = false
    /// A call of the pool from inside which the exchange can be cancelled.
    enum Call: CaseIterable, Sendable { case began, received, answered, finished }

    private let isPausing: Bool
    private let cancelledIn: Call?
    private(set) var hasCancelled = false
    private(set) var interim: [UpstreamInterim] = []
    private var response: UpstreamResponse?
    private(set) var content: [UInt8] = []
    private var calls = 0
    private let ends = AsyncStream<End>.makeStream()
    private let beginnings = AsyncStream<UpstreamResponse>.makeStream()

    init(pausing: Bool, cancelling: Call?) {
        isPausing = pausing
        cancelledIn = cancelling
    }

    private func note(_ call: Call, _ exchange: UpstreamExchange) {
        precondition(!hasCancelled, "called after cancel")
        guard call == cancelledIn else { return }
        hasCancelled = true
        exchange.cancel()
    }

    /// The end of the exchange.
    func end() async -> End {
        for await end in ends.stream { return end }
        return .failed(.draining, content: nil)
    }

    /// Waits for the beginning of a streamed answer.
    func began() async {
        for await _ in beginnings.stream { return }
    }

    private func report(_ end: End) {
        precondition(hasReturned, "called inside send")
        precondition(calls == 0, "called after the end")
        calls += 1
        ends.continuation.yield(end)
    }

    func upstream(_ exchange: UpstreamExchange, _ event: UpstreamEvent) {
        switch event {
        case .interim(let interim):
            precondition(hasReturned && calls == 0 && response == nil)
            self.interim.append(interim)
        case .answered(let response):
            note(.answered, exchange)
            report(.answered(response))
        case .began(let response):
            self.response = response
            content = response.body
            if isPausing { exchange.pause() }
            note(.began, exchange)
            beginnings.continuation.yield(response)
        case .received(let bytes):
            precondition(response != nil && !bytes.isEmpty)
            content += bytes
            note(.received, exchange)
        case .finished:
            guard let response else { preconditionFailure("finished before it began") }
            note(.finished, exchange)
            report(.finished(response, content: content))
        case .failed(let failure):
            report(.failed(failure, content: response == nil ? nil : content))
        }
    }

    /// Whether the exchange has ended.
    var hasEnded: Bool { calls > 0 }
}

extension RecordingReceiver.End {
    /// The content of a complete answer.
    var text: String? {
        switch self {
        case .answered(let response): String(decoding: response.body, as: UTF8.self)
        case .finished(_, let content): String(decoding: content, as: UTF8.self)
        case .failed: nil
        }
    }

    /// An answer that came in one piece.
    var collected: UpstreamResponse? {
        if case .answered(let response) = self { response } else { nil }
    }

    /// An answer that came in pieces, whole.
    var streamed: (response: UpstreamResponse, content: [UInt8])? {
        if case .finished(let response, let content) = self { (response, content) } else { nil }
    }

    var failure: UpstreamFailure? {
        if case .failed(let failure, _) = self { failure } else { nil }
    }
}
