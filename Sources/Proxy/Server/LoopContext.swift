import EventLoop
import HTTP

/// What all connections of one loop share: read buffers for those that are busy, one scratch for heads, the clock's text.
///
/// Confined to its loop. An idle connection holds no buffer at all; that keeps ten thousand of them cheap.
public final class LoopContext {
    public let loop: EventLoop
    /// Where heads are written before they are sent; empty between answers.
    var scratch = ByteBuffer(capacity: 4096)
    var clock: WallClock
    private var freeBuffers: [PooledBuffer] = []

    private static let bufferBytes = 16 << 10
    private static let mostFreeBuffers = 64

    public init(loop: EventLoop, timeOfDay: TimeOfDay = .system) {
        self.loop = loop
        clock = WallClock(timeOfDay)
    }

    /// The time of day, read at most once a turn of the loop.
    public var unixSeconds: Int64 {
        clock.seconds(at: loop.now)
    }

    func takeBuffer() -> PooledBuffer {
        freeBuffers.popLast() ?? PooledBuffer(capacity: Self.bufferBytes)
    }

    /// Takes a buffer back; one that grew for a large head is let go instead. Heads hold tokens, so it is wiped.
    func giveBack(_ buffer: PooledBuffer) {
        buffer.bytes.wipe()
        guard freeBuffers.count < Self.mostFreeBuffers, buffer.bytes.capacity <= Self.bufferBytes else { return }
        freeBuffers.append(buffer)
    }
}

/// A read buffer that moves between connections without being copied.
final class PooledBuffer {
    var bytes: ByteBuffer

    init(capacity: Int) {
        bytes = ByteBuffer(capacity: capacity)
    }

    deinit {
        bytes.wipe()
    }
}
