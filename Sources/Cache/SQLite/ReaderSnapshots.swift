import Synchronization

// When readers may keep their view of the file from one look-up to the next: only while nothing is
// written. A read transaction of its own costs a look-up 1.6 us, most of it the two calls that lock
// and unlock the log's index. Must hold: between `pause` and `resume` no reader keeps a view beyond
// the look-up that it is at, so what was committed is seen by the next look-up, and the log can be
// copied into the database and begun anew.

final class ReaderSnapshots: Sendable {
    private struct WeakReader {
        weak var reader: StoreReader?
    }

    private let readers = Mutex<[WeakReader]>([])
    private let isPaused = Atomic<Bool>(false)

    /// Whether a reader may keep its view now; asked under the reader's own lock, after which
    /// `pause` will take it.
    var mayBeKept: Bool { !isPaused.load(ordering: .sequentiallyConsistent) }

    func add(_ reader: StoreReader) {
        readers.withLock { readers in
            readers.removeAll { $0.reader == nil }
            readers.append(WeakReader(reader: reader))
        }
    }

    /// Waits for the look-ups under way, and ends the views that were kept.
    func pause() {
        isPaused.store(true, ordering: .sequentiallyConsistent)
        for reader in readers.withLock({ $0.compactMap(\.reader) }) { reader.endSnapshot() }
    }

    func resume() {
        isPaused.store(false, ordering: .sequentiallyConsistent)
    }
}
