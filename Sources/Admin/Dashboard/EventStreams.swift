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
    private final class Stream {
        let connection: ClientConnection
        /// The window that the page shows in place of the counters; nil: the counters.
        let view: HistoryWindow?
        /// Whether its reader may still see anything.
        let isWelcome: () -> Bool
        /// Since when it has been too slow.
        var slowSince: Instant?
        /// The slot up to which it has the ribbon.
        var slotShown: Int?

        init(_ connection: ClientConnection, view: HistoryWindow?, isWelcome: @escaping () -> Bool) {
            self.connection = connection
            self.view = view
            self.isWelcome = isWelcome
        }
    }

    private let timeline: Timeline
    private let feed: LiveFeed
    private let loop: EventLoop
    private var streams: [Stream] = []
    private var nextRequest = 0
    private var beats = 0
    private var timer: TimerToken?
    private var hasEnded = false

    static let head = AdminReply(type: "text/event-stream", content: [])
    /// The most at once, of one address seven eighths; each costs some ten kilobytes a second.
    static let most = 32
    /// Between two batches of requests.
    private static let beat = Duration.milliseconds(250)
    /// Between two looks at the counters.
    private static let beatsPerLook = 4
    /// How long a reader may have too much waiting for it.
    private static let patience = Duration.seconds(10)

    init(_ timeline: Timeline, _ feed: LiveFeed, _ loop: EventLoop) {
        self.timeline = timeline
        self.feed = feed
        self.loop = loop
    }

    /// Answers with events from now on; false where there are too many streams already, in all or
    /// of this address, or no new ones are welcome.
    /// - Parameter isWelcome: asked before each batch; the stream ends with the first no.
    func admit(_ connection: ClientConnection, view: HistoryWindow?, isWelcome: @escaping () -> Bool) -> Bool {
        letGo()
        let own = streams.count { $0.connection.peerNetwork == connection.peerNetwork }
        guard FairShare.allows(1, holding: own, of: Self.most - streams.count), !hasEnded else { return false }
        connection.beginEndless(Self.head)
        if streams.isEmpty { begin() }
        let stream = Stream(connection, view: view, isWelcome: isWelcome)
        streams.append(stream)
        // After two seconds a browser tries again.
        send(Array("retry: 2000\n: events of refrain\n\n".utf8), to: stream)
        look()
        return true
    }

    /// Ends all streams, and admits no others.
    func end() {
        hasEnded = true
        for stream in streams { stream.connection.endStreaming() }
        if !streams.isEmpty { stop() }
        streams = []
    }

    private func begin() {
        nextRequest = feed.begin()
        beats = 0
        timer = loop.schedule(after: Self.beat) { [weak self] in self?.beat() }
    }

    private func stop() {
        feed.end()
        if let timer { loop.cancel(timer) }
        timer = nil
    }

    private func beat() {
        letGo()
        guard !streams.isEmpty else { return }
        timer = loop.schedule(after: Self.beat) { [weak self] in self?.beat() }
        tellRequests()
        beats += 1
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
        streams.removeAll { stream in
            guard stream.connection.isOpen else { return true }
            guard !stream.isWelcome() else { return false }
            stream.connection.endStreaming()
            return true
        }
        if streams.isEmpty { stop() }
    }

    private func tellRequests() {
        let (events, next, skipped) = feed.events(from: nextRequest)
        nextRequest = next
        guard !events.isEmpty || skipped > 0 else { return }
        let batch: JSON = ["requests": .array(events.map(\.json)), "skipped": .integer(skipped)]
        let message = Self.message("requests", batch.bytes)
        for stream in streams { send(message, to: stream) }
    }

    private func look() {
        timeline.observe { [weak self] moment in self?.tell(moment) }
    }

    private func tell(_ moment: Observations) {
        let slot = timeline.slotNumber
        if streams.contains(where: { $0.view == nil }) {
            let message = Self.message("stats", moment.json)
            for stream in streams where stream.view == nil { send(message, to: stream) }
        }
        for window in HistoryWindow.allCases {
            for isComplete in [true, false] {
                let these = streams.filter { $0.view == window && ($0.slotShown != slot) == isComplete }
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
