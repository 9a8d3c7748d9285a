/// Whether the store has a file, and may write it.
enum StorePhase: Equatable {
    /// No file is open for writing.
    case absent
    case open
    /// Another process is about to write the file.
    case lent
    /// Another process goes on with it for good.
    case handedOver
    case stopped
}

/// Work that is done in steps, between which everything else has its turn.
enum Chore: CaseIterable {
    /// Reads keys into the directory.
    case learn
    /// Removes rows whose segment is gone.
    case sweep
    /// Brings files that are too large nearer to their bound.
    case shrink
    /// Ends last-use times and rests in the future.
    case capUses
}
