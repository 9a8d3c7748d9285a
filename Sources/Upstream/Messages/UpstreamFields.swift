import HTTP

/// The end-to-end fields of an answer, in the origin's order, as lines ready for the wire.
///
/// Hop-by-hop fields, fields that `Connection` names, and framing fields are removed (RFC 9110,
/// 7.6.1): the sender of these fields writes its own `Content-Length` or `Transfer-Encoding`. So
/// are fields by which the origin speaks about its own host, and references to it lose the host:
/// clients would take both for the proxy's (FRAMING 2.12).
public struct UpstreamFields: Sendable, Equatable {
    /// A field line, as offsets into `bytes`.
    public struct Line: Sendable, Equatable {
        /// `other` for names that nothing acts on.
        public let id: FieldName
        /// The name as the origin wrote it.
        public let name: Range<Int>
        /// Without surrounding white space.
        public let value: Range<Int>
        /// The whole line with its CRLF.
        public var line: Range<Int> { name.lowerBound..<value.upperBound + 2 }
    }

    /// The field lines, each `Name: value` and CRLF, without the empty line that ends a head.
    public private(set) var bytes: [UInt8] = []
    /// The place of each field, in the order of the origin.
    public private(set) var lines: [Line] = []

    /// Copies the end-to-end fields of a head that was received from `site`. Framing must have been
    /// decided before (FRAMING 5.8).
    init(of head: borrowing ResponseHead, _ bytes: Span<UInt8>, from site: SiteAddress) {
        self.bytes.reserveCapacity(head.byteCount)
        lines.reserveCapacity(head.fields.count)
        // Lines that are kept as they came, one after the other in `bytes`: copied together.
        var run = 0..<0
        for field in head.fields where !field.id.isHopByHop && !field.id.isAboutHost {
            guard Self.isForEveryRecipient(field.id) || !head.connection.names(field.name, bytes) else { continue }
            let (name, value) = (field.name.range, field.value.range)
            let mayRefer = SiteAddress.mayRefer(field.id, nameCount: name.count)
            if !mayRefer, Self.isPlain(name, value, bytes) {
                if name.lowerBound != run.upperBound { flush(&run, bytes, next: name.lowerBound) }
                let offset = self.bytes.count - run.lowerBound
                let (nameStart, valueStart) = (name.lowerBound + offset, value.lowerBound + offset)
                lines.append(
                    Line(
                        id: field.id, name: nameStart..<nameStart + name.count,
                        value: valueStart..<valueStart + value.count))
                run = run.lowerBound..<value.upperBound + 2
            } else {
                flush(&run, bytes, next: value.upperBound)
                let (name, value) = (bytes.extracting(name), bytes.extracting(value))
                if mayRefer, let rewritten = site.rewriting(field.id, name, value) {
                    append(field.id, name: name, value: rewritten.span)
                } else {
                    append(field.id, name: name, value: value)
                }
            }
        }
        flush(&run, bytes, next: 0)
    }

    /// Whether a line is `Name: value` and CRLF.
    private static func isPlain(_ name: Range<Int>, _ value: Range<Int>, _ bytes: Span<UInt8>) -> Bool {
        value.lowerBound == name.upperBound + 2 && value.upperBound + 1 < bytes.count
            && bytes[name.upperBound + 1] == UInt8(ascii: " ")
            && bytes[value.upperBound] == UInt8(ascii: "\r") && bytes[value.upperBound + 1] == UInt8(ascii: "\n")
    }

    /// Copies the lines of a run; the next one begins at `next`.
    private mutating func flush(_ run: inout Range<Int>, _ bytes: Span<UInt8>, next: Int) {
        if !run.isEmpty { self.bytes.append(bytes.extracting(run)) }
        run = next..<next
    }

    private mutating func append(_ id: FieldName, name: Span<UInt8>, value: Span<UInt8>) {
        let nameStart = bytes.count
        bytes.append(name)
        let nameEnd = bytes.count
        bytes.append(UInt8(ascii: ":"))
        bytes.append(UInt8(ascii: " "))
        let valueStart = bytes.count
        bytes.append(value)
        lines.append(Line(id: id, name: nameStart..<nameEnd, value: valueStart..<bytes.count))
        bytes.append(UInt8(ascii: "\r"))
        bytes.append(UInt8(ascii: "\n"))
    }

    /// Fields that `Connection` cannot remove, because a sender must not list them (RFC 9110,
    /// 7.6.1): without them a private answer could look storable, or its content be misread.
    private static func isForEveryRecipient(_ id: FieldName) -> Bool {
        switch id {
        case .cacheControl, .cdnCacheControl, .pragma, .expires, .date, .age, .etag, .lastModified, .vary, .setCookie,
            .contentType, .contentEncoding, .contentRange, .retryAfter:
            true
        default: false
        }
    }
}

extension UpstreamFields {
    /// The value of the first field of this name. Not for `FieldName.other`, which is many names.
    public func first(_ id: FieldName) -> ArraySlice<UInt8>? {
        lines.first { $0.id == id }.map { bytes[$0.value] }
    }

    /// Whether there is a field of this name. Not for `FieldName.other`.
    public func contains(_ id: FieldName) -> Bool {
        lines.contains { $0.id == id }
    }
}
