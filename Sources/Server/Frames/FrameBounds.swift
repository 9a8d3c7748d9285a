import EventLoop

/// How many frames of each kind a connection may get, in one table: a burst, and a rate. Pure.
struct FrameBounds {
    /// Returns how many frames of a kind may come at once, and how many more a second; nil for a
    /// kind that is bounded by its head.
    static func bound(_ kind: FrameWatch.Offence) -> (burst: Int, perSecond: Int)? {
        switch kind {
        // A page that is left withdraws all that it has asked for; one that scrolls does so often.
        case .resets: (256, 32)
        case .settings: (16, 1)
        case .pings: (64, 8)
        case .priorities: (512, 64)
        case .windowUpdates: (1024, 64)
        case .emptyContent: (64, 8)
        case .otherFrames: (64, 8)
        case .provokedResets: (64, 8)
        // A browser asks for all of a page before it has read how many streams there may be.
        case .refusedStreams: (1024, 64)
        case .continuations, .headBytes: nil
        }
    }

    /// Content for which a client may open windows once more: of the stream, and of the connection.
    static let bytesPerWindowUpdate = 512

    /// The most bytes that the fields of a head may unfold to before that is an attack
    /// (CVE-2016-1544): a few bytes name an entry of the table again and again, and each time it
    /// costs the reading of the entry.
    static let mostUnfoldedBytes = 256 << 10
    /// The bytes of all heads in one call of the library, which gets `Limits.readFrames`: two
    /// hundred heads just below that bound fit into it, and would take 50 ms. A page's requests
    /// unfold to some 150 KB.
    static let mostUnfoldedBytesInRead = 1 << 20

    /// When each kind would be due if its frames came evenly: the generic cell rate algorithm.
    private var due = [Instant](repeating: Instant(nanoseconds: .min), count: FrameWatch.Offence.allCases.count)

    /// Takes one frame off the bound of its kind.
    mutating func take(_ kind: FrameWatch.Offence, at now: Instant) throws(FrameWatch.Offence) {
        guard let bound = Self.bound(kind) else { return }
        let interval = Duration.seconds(1) / bound.perSecond
        let place = kind.rawValue
        let expected = max(due[place], now)
        guard expected - now <= interval * (bound.burst - 1) else { throw kind }
        due[place] = expected + interval
    }

    /// Allows the client as many more frames as may answer the bytes that were sent.
    mutating func noteSent(_ byteCount: Int, at now: Instant) {
        guard let bound = Self.bound(.windowUpdates) else { return }
        let place = FrameWatch.Offence.windowUpdates.rawValue
        guard due[place] > now else { return }
        let frames = byteCount / Self.bytesPerWindowUpdate + 2
        due[place] = max(now, due[place] - Duration.seconds(1) / bound.perSecond * frames)
    }
}
