import EventLoop
import HTTP

/// Shared by all connections of one loop: inputs for those that are reading, one scratch for heads,
/// the clock's text, the requests that came before.
///
/// Confined to its loop. An idle connection holds no input at all; that keeps ten thousand of them
/// cheap.
public final class LoopContext {
    /// The loop that all of them live on.
    public let loop: EventLoop
    /// Buffer in which heads are written before they are sent; empty between answers.
    var scratch = ByteBuffer(capacity: 4096)
    /// Frames of the HTTP/2 connection whose turn it is, as they came; and those to be sent.
    var frameInput = ByteBuffer(capacity: 0)
    var frames = ByteBuffer(capacity: 0)
    /// The head of the answer that is being made into frames.
    var answerHead = HTTP2AnswerHead()
    var clock: WallClock
    private(set) var memo = RequestMemo()
    /// Memory for requests that are read or wait; shared with other loops.
    public let requestBudget: RequestBudget
    /// Memory for answers that clients have not taken; shared with other loops.
    let answerBudget: AnswerBudget
    /// The connections of clients; shared with other loops.
    let census: ConnectionCensus
    /// The peers that may name another address as the client's; nil where there are none.
    package var trustedProxies: TrustedProxies?
    private var freeInputs: [RequestInput] = []
    private var freeStreamInputs: [RequestInput] = []

    private static let inputBytes = 16 << 10
    /// Room for most heads: of streams a client may have very many, and their bytes come here from
    /// frames that were read elsewhere.
    private static let streamInputBytes = 1 << 10
    private static let mostFreeInputs = 64

    /// - Parameters:
    ///   - timeOfDay: the clock of dates and ages.
    ///   - requestBudget: the memory of requests.
    ///   - answerBudget: the memory of answers.
    ///   - census: the connections of clients.
    public init(
        loop: EventLoop, timeOfDay: TimeOfDay = .system, requestBudget: RequestBudget = RequestBudget(),
        answerBudget: AnswerBudget = AnswerBudget(), census: ConnectionCensus = ConnectionCensus()
    ) {
        (self.loop, self.census) = (loop, census)
        (self.requestBudget, self.answerBudget) = (requestBudget, answerBudget)
        clock = WallClock(timeOfDay)
    }

    /// The time of day, read at most once a turn of the loop.
    public var unixSeconds: Int64 {
        clock.seconds(at: loop.now)
    }

    /// The milliseconds beyond `unixSeconds`.
    package var millisecond: Int { clock.time(at: loop.now).millisecond }

    /// Forgets the plans of services for earlier requests.
    package func forgetRequests() {
        memo = RequestMemo()
    }

    /// Lets an input read on, with the memory of earlier requests.
    @inline(__always)
    func advance(_ input: RequestInput) -> RequestReader.Step { input.advance(&memo) }

    /// Counts the bytes that an input holds while its connection waits.
    /// - Parameters:
    ///   - party: whose they are, as far as it is known by now.
    ///   - canBeRefused: whether it does not count where that would be too much.
    /// - Returns: anything but `taken` where it is.
    func hold(_ input: RequestInput, of party: UInt64, canBeRefused: Bool = true) -> RequestBudget.Taking {
        if input.heldBytes > 0, input.holder != party {
            requestBudget.give(input.heldBytes, of: input.holder)
            requestBudget.takeAnyway(input.heldBytes, of: party)
        }
        input.holder = party
        let more = input.size - input.heldBytes
        guard more > 0 else { return .taken }
        if canBeRefused {
            let taking = requestBudget.take(more, of: party)
            guard taking == .taken else { return taking }
        } else {
            requestBudget.takeAnyway(more, of: party)
        }
        input.heldBytes += more
        return .taken
    }

    /// Gives memory back: the request has been answered, or will not be.
    @inline(__always)
    func release(_ input: RequestInput) {
        guard input.heldBytes > 0 else { return }
        requestBudget.give(input.heldBytes, of: input.holder)
        input.heldBytes = 0
    }

    func takeInput(_ limits: MessageLimits) -> RequestInput {
        freeInputs.popLast() ?? RequestInput(capacity: Self.inputBytes, limits: limits)
    }

    /// An input for a request of an HTTP/2 connection.
    func takeStreamInput(_ limits: MessageLimits) -> RequestInput {
        freeStreamInputs.popLast() ?? RequestInput(capacity: Self.streamInputBytes, limits: limits)
    }

    /// Takes an input back; one that grew for a large head is let go instead. Heads hold tokens, so
    /// it is wiped.
    func giveBack(_ input: RequestInput) {
        release(input)
        input.clear()
        if input.bytes.capacity <= Self.streamInputBytes {
            if freeStreamInputs.count < Limits.streams { freeStreamInputs.append(input) }
        } else if input.bytes.capacity == Self.inputBytes, freeInputs.count < Self.mostFreeInputs {
            freeInputs.append(input)
        }
    }
}
