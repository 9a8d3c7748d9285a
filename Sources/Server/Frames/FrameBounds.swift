import EventLoop

/// How many frames of each kind a connection may get, in one table: so many at once, and so many a
/// second. Pure.
struct FrameBounds {
    /// Frames that may come at once, and how many more a second.
    struct Bound {
        let burst: Int
        let perSecond: Int
    }

    /// nil for what is bounded by a head and not by time.
    static func bound(_ kind: FrameWatch.Offence) -> Bound? {
        switch kind {
        // A page that is left withdraws all that it has asked for; one that scrolls does so often.
        case .resets: Bound(burst: 256, perSecond: 32)
        case .settings: Bound(burst: 16, perSecond: 1)
        case .pings: Bound(burst: 64, perSecond: 8)
        case .priorities: Bound(burst: 512, perSecond: 64)
        case .windowUpdates: Bound(burst: 1024, perSecond: 64)
        case .emptyContent: Bound(burst: 64, perSecond: 8)
        case .otherFrames: Bound(burst: 64, perSecond: 8)
        case .provokedResets: Bound(burst: 64, perSecond: 8)
        // A browser asks for all of a page before it has read how many streams there may be.
        case .refusedStreams: Bound(burst: 1024, perSecond: 64)
        case .continuations, .headBytes: nil
        }
    }

    /// Content for which a client may open windows once more: of the stream, and of the connection.
    static let bytesPerWindowUpdate = 512

    /// The most bytes that the fields of a head may unfold to before that is an attack
    /// (CVE-2016-1544): a few bytes name an entry of the table again and again, and each time it
    /// costs the reading of the entry.
    static let mostUnfoldedBytes = 256 << 10

    /// When each kind would be due if its frames came evenly: the generic cell rate algorithm.
    private var due = [Instant](repeating: Instant(nanoseconds: .min), count: FrameWatch.Offence.allCases.count)

    /// Takes one frame off what may come.
    mutating func take(_ kind: FrameWatch.Offence, at now: Instant) throws(FrameWatch.Offence) {
        guard let bound = Self.bound(kind) else { return }
        let interval = Duration.seconds(1) / bound.perSecond
        let place = kind.rawValue
        let expected = max(due[place], now)
        guard expected - now <= interval * (bound.burst - 1) else { throw kind }
        due[place] = expected + interval
    }

    /// As many frames more may answer those that were sent.
    mutating func noteSent(_ byteCount: Int, at now: Instant) {
        guard let bound = Self.bound(.windowUpdates) else { return }
        let place = FrameWatch.Offence.windowUpdates.rawValue
        guard due[place] > now else { return }
        let frames = byteCount / Self.bytesPerWindowUpdate + 2
        due[place] = max(now, due[place] - Duration.seconds(1) / bound.perSecond * frames)
    }
}
