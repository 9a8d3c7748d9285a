import CLinux

/// The head of an answer, which is written as HTTP/1.1 has it, as the fields of HTTP/2: names in
/// lower case, the status as a pseudo-field, nothing that belongs to a connection (RFC 9113 8.2).
///
/// One value serves the answers of a loop; its storage is reused.
public struct HTTP2AnswerHead {
    /// The names, in lower case, one after the other.
    private var names: [UInt8] = []
    private var lines: [(name: Range<Int>, value: Range<Int>)] = []

    public init() {}

    /// - Parameter head: a whole head that this program wrote: each line with its line end, and the
    ///   empty line.
    public mutating func read(_ head: Span<UInt8>) {
        names.removeAll(keepingCapacity: true)
        lines.removeAll(keepingCapacity: true)
        let status = "HTTP/1.1 ".utf8.count
        names.append(contentsOf: ":status".utf8)
        lines.append((0..<names.count, status..<status + 3))
        var start = head.first(UInt8(ascii: "\n"), in: 0..<head.count) + 1
        while start < head.count {
            let end = head.first(UInt8(ascii: "\n"), in: start..<head.count)
            addLine(head, start..<end - 1)
            start = end + 1
        }
    }

    private mutating func addLine(_ head: Span<UInt8>, _ line: Range<Int>) {
        guard !line.isEmpty else { return }
        let colon = head.first(UInt8(ascii: ":"), in: line)
        guard colon < line.upperBound, Self.travels(FieldName(head, line.lowerBound..<colon)) else { return }
        let start = names.count
        for index in line.lowerBound..<colon { names.append(ASCII.lowercased(head[index])) }
        lines.append((start..<names.count, head.trimmingWhitespace(colon + 1..<line.upperBound)))
    }

    private static func travels(_ name: FieldName) -> Bool {
        switch name {
        case .connection, .keepAlive, .transferEncoding, .upgrade, .proxyConnection: false
        default: true
        }
    }

    /// The fields as the library takes them; valid as long as `body` runs.
    /// - Parameter head: the bytes that were read.
    public func withFields<R>(
        in head: UnsafeRawBufferPointer, _ body: (UnsafeBufferPointer<clinux_http2_field>) -> R
    ) -> R {
        names.withUnsafeBufferPointer { names in
            withUnsafeTemporaryAllocation(of: clinux_http2_field.self, capacity: lines.count) { fields in
                let values = head.bindMemory(to: UInt8.self).baseAddress
                for (index, line) in lines.enumerated() {
                    fields.initializeElement(
                        at: index,
                        to: clinux_http2_field(
                            name: names.baseAddress?.advanced(by: line.name.lowerBound),
                            value: values?.advanced(by: line.value.lowerBound), name_count: line.name.count,
                            value_count: line.value.count, flags: 0))
                }
                return body(UnsafeBufferPointer(fields))
            }
        }
    }
}
