import EventLoop
import HTTP

/// What all connections of one loop share: what those need that are reading, one scratch for heads,
/// the clock's text, the requests that came before.
///
/// Confined to its loop. An idle connection holds no input at all; that keeps ten thousand of them
/// cheap.
public final class LoopContext {
    public let loop: EventLoop
    /// Where heads are written before they are sent; empty between answers.
    var scratch = ByteBuffer(capacity: 4096)
    var clock: WallClock
    var knownRequests = KnownRequests()
    private var freeInputs: [RequestInput] = []

    private static let inputBytes = 16 << 10
    private static let mostFreeInputs = 64

    public init(loop: EventLoop, timeOfDay: TimeOfDay = .system) {
        self.loop = loop
        clock = WallClock(timeOfDay)
    }

    /// The time of day, read at most once a turn of the loop.
    public var unixSeconds: Int64 {
        clock.seconds(at: loop.now)
    }

    func takeInput(_ limits: MessageLimits) -> RequestInput {
        freeInputs.popLast() ?? RequestInput(capacity: Self.inputBytes, limits: limits)
    }

    /// Takes an input back; one that grew for a large head is let go instead. Heads hold tokens, so
    /// it is wiped.
    func giveBack(_ input: RequestInput) {
        input.clear()
        guard freeInputs.count < Self.mostFreeInputs, input.bytes.capacity <= Self.inputBytes else { return }
        freeInputs.append(input)
    }
}
