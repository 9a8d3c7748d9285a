/// Memory of a node's part in a shared tier, in bytes.
package enum TierMemory {
    /// Bytes of a loop's connection: commands that wait, the reply that is read, and a value before
    /// it.
    package static let bytesPerLoop =
        SessionLimits().maxBytes + RESPLimits().maxReplyBytes + RESPLimits().maxBulkBytes
    /// The purges that are known, a page of the log, the nodes, and the connections of the log and
    /// of the budget.
    package static let logBytes = LogPlaces.mostBytes + UnloggedPurges.mostBytes + 12 << 20
}
