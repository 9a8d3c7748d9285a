// The events that the store's machine is told, and the effects that it wants.

/// The result of a look at the whole file.
enum FileVerdict: Equatable {
    case sound, damaged
    /// The look took too long.
    case unfinished
    /// The disk fails, or another process keeps the file to itself: there is no telling.
    case unreadable(String)
}

/// How much was written.
enum Written: Equatable {
    /// A batch, or a step towards room for it.
    case part
    /// Everything that waited when the round began; more has come.
    case round
    case all
}

enum StoreEvent: Equatable {
    /// Something waits to be written; `isForced` where a caller waits for it.
    case due(isForced: Bool)
    case opened(isLearnt: Bool)
    case notOpened(String, FileFault)
    /// `isOver`: the files are larger than they may be.
    case wrote(Written, isOver: Bool)
    /// A transaction or a chore.
    case failed(String, FileFault)
    /// The names came to mean other files, or none.
    case displaced
    /// By a reader.
    case reported(String, FileFault)
    /// A segment that a reader could not read was read once more.
    case probed(segment: Int, isReadable: Bool)
    case examined(FileVerdict)
    case wasSetAside
    case notSetAside(String)
    case choreDue(Chore)
    case ran(Chore, isOver: Bool)
    case sweep(SweepTurn.Event)
    case lend
    case takeBack
    case handOver
    /// The process is about to end.
    case stopping
    case stop
}

enum StoreEffect: Equatable {
    case open
    /// Writes the next batch; with `makingRoom` only once there is room for it.
    case write(makingRoom: Bool)
    /// Another turn follows at once.
    case again
    /// Another turn follows once new operations have waited for others.
    case gather
    case retry(after: Duration)
    /// The operations in flight wait again.
    case putBack
    /// Nothing will be written any more; look-ups still find it.
    case keepQueue
    /// Nothing will be written or looked up any more.
    case forgetQueue
    case dropConnection
    /// Readers stop asking the file too.
    case disconnect
    case giveUp(Int)
    case examine
    case setAside(String)
    /// Sets aside, at the end, a file that holds purged answers and does not say so.
    case abandon
    case schedule(Chore)
    case run(Chore)
    case sweep(SweepTurn.Effect)
    case lend
    case signLock
    case releaseLock
    case close
    case health(StoreHealth)
    case tell(String)
}
