extension Fields {
    /// Whether `Connection` names this field, so that it ends here and is not passed on (RFC 9110
    /// 7.6.1).
    ///
    /// `bytes` are those that the ranges of these fields and of `name` count in.
    public func connectionNames(_ name: ByteRange, _ bytes: Span<UInt8>) -> Bool {
        guard contains(.connection) else { return false }
        for field in self where field.id == .connection {
            var options = ListElements(field.value)
            while let option = options.next(in: bytes) {
                if bytes.equalsIgnoringCase(option.range, bytes, name.range) { return true }
            }
        }
        return false
    }
}
