extension LogMark {
    /// Reads what `text` writes, and nothing else.
    init?(_ text: some Collection<UInt8>) {
        let parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.count == 2, let epoch = LogEpoch(parts[0]), let position = LogPosition(parts[1]) else { return nil }
        self.init(epoch, position)
    }

    /// `EPOCH:MS-SEQ`, on disks and in the list of nodes.
    var text: String { "\(epoch.text):\(position.text)" }
}
