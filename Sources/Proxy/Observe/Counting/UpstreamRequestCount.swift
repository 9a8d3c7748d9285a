import EventLoop
import Server
import Upstream

// Requests to the origin by the request of a client that caused them, for the access log.
// Must hold: each request that `refrain_upstream_sent_by_client_total` counts for a client is told
// once: in the line of the request that caused it, or, if it leaves after that line, in the
// client's next line on the same loop. A request that `access_log ... if` leaves out has no line,
// and what is sent before its answer is told nowhere.

/// Requests sent to the origin for one request of a client: its own, repeats, a missing part, a
/// batch that it leads, the refresh that it starts. Confined to its loop.
final class UpstreamRequestCount: UpstreamTally {
    private let spender: UpstreamParty
    private let later: UnloggedRequestCounts
    /// Requests sent before the line is written.
    private(set) var count = 0
    private var latest: Instant?
    private var time: Duration?
    private var isTold = false

    /// - Parameter later: takes what is sent after the line.
    init(of spender: UpstreamParty, later: UnloggedRequestCounts) {
        (self.spender, self.later) = (spender, later)
    }

    func noteSending(at now: Instant) {
        if isTold { return later.note(spender) }
        count += 1
        (latest, time) = (now, nil)
    }

    /// The origin has answered the latest sending.
    func noteAnswer(after time: Duration) { self.time = time }

    /// The latest sending has failed, if there was one.
    func noteFailure(at now: Instant) {
        if time == nil { time = latest.map { now - $0 } }
    }

    /// How long the origin took for the latest sending, so far if it has not answered; nil without
    /// one.
    func time(at now: Instant) -> Duration? { time ?? latest.map { now - $0 } }

    /// Gives the number for the line, which is written now.
    func tell() -> Int {
        isTold = true
        return count
    }
}

/// Requests sent to the origin after the lines of the requests that caused them, by client, until a
/// line tells of them. Confined to its loop.
///
/// Clients that get no line, because they never come again or `access_log ... if` leaves them out,
/// make room for others: the clients noted longest ago are forgotten, half of them at once.
final class UnloggedRequestCounts {
    /// The latest clients that are remembered at least, and half of the most.
    static let leastParties = 2048

    private var recent: [UpstreamParty: Int] = [:]
    /// Counts of clients noted before `recent` was begun.
    private var former: [UpstreamParty: Int] = [:]
    /// Whether there is a log that would tell.
    var isWanted = false {
        didSet { if !isWanted { (recent, former) = ([:], [:]) } }
    }

    func note(_ spender: UpstreamParty) {
        guard isWanted else { return }
        let earlier = former.removeValue(forKey: spender) ?? 0
        if recent.count >= Self.leastParties, recent[spender] == nil { (recent, former) = ([:], recent) }
        recent[spender, default: 0] += earlier + 1
    }

    /// Takes the number of the client's, for its line.
    func take(of spender: @autoclosure () -> UpstreamParty) -> Int {
        if recent.isEmpty, former.isEmpty { return 0 }
        let spender = spender()
        return (recent.removeValue(forKey: spender) ?? 0) + (former.removeValue(forKey: spender) ?? 0)
    }
}

extension ClientConnection {
    /// The party of the client's requests to the origin.
    var party: UpstreamParty {
        if let client { return .client(client.name) }
        return peerNetwork.map { .network($0) } ?? .everyone
    }
}
