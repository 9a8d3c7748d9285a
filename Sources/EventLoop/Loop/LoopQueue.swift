import CLinux
import Dispatch
import Glibc
import Synchronization

/// The serial queue of a loop, which may wait on it for its sockets and is still woken by work.
///
/// Must hold: work never waits for the end of such a wait. A producer increments the count, then
/// checks whether the loop waits; the loop does the reverse. Sequential consistency guarantees that
/// one of them sees the other.
final class LoopQueue: Sendable {
    /// For sources and groups. Blocks that go straight to it do not wake a loop that waits.
    let dispatch: DispatchQueue
    /// Readable when the loop is to stop waiting.
    let wakeDescriptor: CInt
    private let handedIn = Atomic<Int>(0)
    private let begun = Atomic<Int>(0)
    private let isWaiting = Atomic<Bool>(false)
    private static let current = DispatchSpecificKey<ObjectIdentifier>()

    /// - Parameter label: the queue's name for debuggers.
    init(label: String) throws(SystemError) {
        dispatch = DispatchQueue(label: label)
        wakeDescriptor = eventfd(0, CInt(EFD_CLOEXEC | EFD_NONBLOCK))
        guard wakeDescriptor >= 0 else { throw .last("eventfd") }
        dispatch.setSpecific(key: LoopQueue.current, value: ObjectIdentifier(self))
    }

    deinit {
        close(wakeDescriptor)
    }

    /// True in code that runs on this queue.
    var isCurrent: Bool { DispatchQueue.getSpecific(key: LoopQueue.current) == ObjectIdentifier(self) }

    /// Runs `work` after the work that is queued. From any thread.
    func async(_ work: @escaping @Sendable () -> Void) {
        count()
        dispatch.async { @Sendable in
            self.begin()
            work()
        }
        // Last, so that the woken loop finds the work and no other thread is started for it.
        wake()
    }

    /// Runs `work` after the work that is queued, and waits for it. From any other thread.
    func sync(_ work: () -> Void) {
        count()
        wake()
        dispatch.sync {
            begin()
            work()
        }
    }

    /// Whether something was handed in that has not begun. On the queue.
    var hasWork: Bool { handedIn.load(ordering: .sequentiallyConsistent) != begun.load(ordering: .relaxed) }

    private func count() {
        handedIn.wrappingAdd(1, ordering: .sequentiallyConsistent)
    }

    private func begin() {
        begun.wrappingAdd(1, ordering: .relaxed)
    }

    private func wake() {
        guard isWaiting.load(ordering: .sequentiallyConsistent) else { return }
        var one: UInt64 = 1
        // It fails only where a wake is there already.
        _ = write(wakeDescriptor, &one, MemoryLayout<UInt64>.size)
    }

    /// Returns the result of `wait`, which `wakeDescriptor` must end; zero at once where work is
    /// queued. On the queue.
    func wait(_ wait: () -> Int) -> Int {
        isWaiting.store(true, ordering: .sequentiallyConsistent)
        defer { isWaiting.store(false, ordering: .relaxed) }
        return hasWork ? 0 : wait()
    }

    /// Reads the wake that ended a wait. On the queue.
    func takeWake() {
        var count: UInt64 = 0
        _ = read(wakeDescriptor, &count, MemoryLayout<UInt64>.size)
    }
}
