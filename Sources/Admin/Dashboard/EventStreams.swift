import EventLoop
import HTTP
import Proxy
import Server
import Text

/// The streams of `GET /events`: server-sent events (HTML Living Standard, 9.2).
///
/// Confined to its loop. Must hold: without streams no timer runs and no request is collected; a
/// reader that is too slow is disconnected, never buffered for; the end of the listener ends all
/// streams, and the end of a session or a token ends the streams that it admitted.
final class EventStreams {
    /// The content of a stream.
    enum Content {
        /// The counters each second, and the newest requests.
        case counters
        /// The page's figures of this window in place of the counters.
        case view(HistoryWindow)
        /// Lines of the requests that a reader wants, and nothing else.
        case lines(Tail)

        var view: HistoryWindow? { if case .view(let window) = self { window } else { nil } }
        var tail: Tail? { if case .lines(let tail) = self { tail } else { nil } }
        var isCounters: Bool { if case .counters = self { true } else { false } }
    }

    private final class Stream {
        let connection: ClientConnection
        let content: Content
        /// Whether its reader may still see anything.
        let isWelcome: () -> Bool
        /// Since when it has been too slow.
        var slowSince: Instant?
        /// The slot up to which it has the ribbon.
        var slotShown: Int?

        init(_ connection: ClientConnection, _ content: Content, isWelcome: @escaping () -> Bool) {
            self.connection = connection
            self.content = content
            self.isWelcome = isWelcome
        }
    }

    private let timeline: Timeline
    private let feed: LiveFeed
    private let tails: Tails
    private let loop: EventLoop
    private var streams: [Stream] = []
    /// Whether the newest requests are collected.
    private var isWatching = false
    private var nextRequest = 0
    private var beats = 0
    private var timer: TimerToken?
    private var hasEnded = false

    static let head = AdminReply(type: "text/event-stream", content: [])
    /// The most at once, of one address seven eighths; each costs some ten kilobytes a second.
    static let most = AdminMemory.readers
    /// Between two batches of requests.
    private static let beat = Duration.milliseconds(250)
    /// Between two looks at the counters.
    private static let beatsPerLook = 4
    /// Between two signs of life to a reader of lines.
    private static let beatsPerSign = 20
    /// How long a reader may have too much waiting for it.
    private static let patience = Duration.seconds(10)

    init(timeline: Timeline, feed: LiveFeed, tails: Tails, on loop: EventLoop) {
        (self.timeline, self.feed, self.tails, self.loop) = (timeline, feed, tails, loop)
    }

    /// Answers with events from now on; false where there are too many streams already, in all or
    /// of this address, or no new ones are welcome.
    /// - Parameters:
    ///   - content: made where the stream is welcome.
    ///   - isWelcome: asked before each batch; the stream ends with the first no.
    func admit(_ connection: ClientConnection, _ content: (Tails) -> Content, isWelcome: @escaping () -> Bool) -> Bool {
        letGo()
        let own = streams.count { $0.connection.peerNetwork == connection.peerNetwork }
        guard FairShare.allows(1, holding: own, of: Self.most - streams.count), !hasEnded else { return false }
        connection.beginEndless(Self.head)
        if streams.isEmpty { begin() }
        let stream = Stream(connection, content(tails), isWelcome: isWelcome)
        streams.append(stream)
        // After two seconds a browser tries again.
        send(Array("retry: 2000\n: events of refrain\n\n".utf8), to: stream)
        watchIfWanted()
        if isWatching { look() }
        return true
    }

    /// Ends all streams, and admits no others.
    func end() {
        hasEnded = true
        for stream in streams {
            tellLines(to: stream)
            stream.connection.endStreaming()
        }
        remove { _ in true }
    }

    private func begin() {
        beats = 0
        timer = loop.schedule(after: Self.beat) { [weak self] in self?.beat() }
    }

    /// Collects the newest requests while there is a stream that tells them.
    private func watchIfWanted() {
        let isWanted = streams.contains { $0.content.tail == nil }
        guard isWanted != isWatching else { return }
        isWatching = isWanted
        if isWanted { nextRequest = feed.begin() } else { feed.end() }
    }

    private func remove(where isGone: (Stream) -> Bool) {
        guard !streams.isEmpty else { return }
        streams.removeAll { stream in
            guard isGone(stream) else { return false }
            if let tail = stream.content.tail { tails.end(tail) }
            return true
        }
        watchIfWanted()
        guard streams.isEmpty, let timer else { return }
        loop.cancel(timer)
        self.timer = nil
    }

    private func beat() {
        letGo()
        guard !streams.isEmpty else { return }
        timer = loop.schedule(after: Self.beat) { [weak self] in self?.beat() }
        beats += 1
        for stream in streams { tellLines(to: stream) }
        guard isWatching else { return }
        tellRequests()
        guard beats.isMultiple(of: Self.beatsPerLook) else { return }
        timeline.noteSecond()
        look()
    }

    /// Ends the streams whose readers have gone, may no longer watch, or were slow for too long.
    private func letGo() {
        let now = loop.now
        guard !streams.isEmpty else { return }
        for stream in streams {
            if let since = stream.slowSince, now - since > Self.patience { stream.connection.reset() }
        }
        remove { stream in
            guard stream.connection.isOpen else { return true }
            guard !stream.isWelcome() else { return false }
            stream.connection.endStreaming()
            return true
        }
    }

    /// A reader that is slow keeps its lines waiting, up to their bound.
    private func tellLines(to stream: Stream) {
        guard let tail = stream.content.tail, stream.slowSince == nil else { return }
        let (lines, omitted) = tail.take()
        var message: [UInt8] = []
        if !lines.isEmpty {
            message += Array("event: lines\n".utf8)
            for line in lines.split(separator: UInt8(ascii: "\n")) {
                message += Array("data: ".utf8) + line + [UInt8(ascii: "\n")]
            }
            message.append(UInt8(ascii: "\n"))
        }
        if omitted > 0 { message += Self.message("omitted", Array("\(omitted)".utf8)) }
        if message.isEmpty, beats.isMultiple(of: Self.beatsPerSign) { message = Array(": alive\n\n".utf8) }
        if !message.isEmpty { send(message, to: stream) }
    }

    private func tellRequests() {
        let (events, next, skipped) = feed.events(from: nextRequest)
        nextRequest = next
        guard !events.isEmpty || skipped > 0 else { return }
        let batch: JSON = ["requests": .array(events.map(\.json)), "skipped": .integer(skipped)]
        let message = Self.message("requests", batch.bytes)
        for stream in streams where stream.content.tail == nil { send(message, to: stream) }
    }

    private func look() {
        timeline.observe { [weak self] moment in self?.tell(moment) }
    }

    private func tell(_ moment: Observations) {
        let slot = timeline.slotNumber
        if streams.contains(where: \.content.isCounters) {
            let message = Self.message("stats", moment.json)
            for stream in streams where stream.content.isCounters { send(message, to: stream) }
        }
        for window in HistoryWindow.allCases {
            for isComplete in [true, false] {
                let these = streams.filter { $0.content.view == window && ($0.slotShown != slot) == isComplete }
                guard !these.isEmpty else { continue }
                let view = DashboardView(moment, window, ribbon: isComplete)
                let message = Self.message("view", view.json.bytes)
                for stream in these {
                    stream.slotShown = stream.slowSince == nil ? slot : nil
                    send(message, to: stream)
                }
            }
        }
    }

    /// Skips a stream whose reader has not taken the last message: the next look repeats
    /// everything.
    private func send(_ message: [UInt8], to stream: Stream) {
        guard stream.slowSince == nil else { return }
        let isFast = stream.connection.stream(message) { [weak stream] in stream?.slowSince = nil }
        if !isFast { stream.slowSince = loop.now }
    }

    /// JSON has no line ends of its own here, so that it is one line of data.
    private static func message(_ name: String, _ json: [UInt8]) -> [UInt8] {
        Array("event: \(name)\ndata: ".utf8) + json + Array("\n\n".utf8)
    }
}
