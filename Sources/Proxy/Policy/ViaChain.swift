import HTTP

/// The proxies of this kind that a request has passed, by the names that they give themselves in
/// `Via` (RFC 9110 7.6.3).
///
/// Each has a name of its own, so that a chain of them is no loop. Only such names go along to the
/// origin: no other proxy's, and no client's field, shapes the request.
struct ViaChain: Sendable, Equatable {
    /// `refrain-` and 16 hexadecimal digits, drawn at the start.
    struct Name: Sendable, Equatable {
        let bytes: [UInt8]

        init(_ number: UInt64 = .random(in: .min ... .max)) {
            var bytes = ViaChain.prefix
            bytes.appendHexadecimal(number)
            self.bytes = bytes
        }
    }

    private static let prefix = Array("refrain-".utf8)
    private static let nameLength = prefix.count + 16
    /// The most names; a request that has passed as many goes in a circle that does not come by
    /// here.
    static let most = 16

    private(set) var names: [[UInt8]] = []

    /// None.
    init() {}

    /// Reads the `Via` fields of a request.
    init(_ head: RequestHead, _ bytes: Span<UInt8>) {
        for field in head.fields where field.id == .via {
            let value = bytes.extracting(field.value.range)
            var elements = ListElements(of: value)
            while names.count < Self.most, let element = elements.next(in: value) {
                guard element.count > Self.nameLength else { continue }
                let word = value.extracting(Self.secondWord(of: element.range, value))
                if Self.isName(word) { names.append(word.copy()) }
            }
        }
    }

    /// Whether a request with this chain has come back to the proxy of this name, or goes round
    /// elsewhere.
    func isLoop(at name: Name) -> Bool { names.contains(name.bytes) || names.count >= Self.most }

    /// The field, with the proxy's own name as its last.
    func append(_ own: Name?, to head: inout (some HeadSink & ~Copyable)) {
        head.append("Via: ")
        for name in names {
            head.append("1.1 ")
            head.append(name)
            head.append(", ")
        }
        head.append("1.1 ")
        head.append(own?.bytes ?? [])
        head.append("\r\n")
    }

    /// The name in an element, after the protocol; empty where there is none.
    private static func secondWord(of element: Range<Int>, _ bytes: Span<UInt8>) -> Range<Int> {
        func end(from start: Int, ofSpaces: Bool) -> Int {
            var index = start
            while index < element.upperBound, (bytes[index] == UInt8(ascii: " ")) == ofSpaces { index += 1 }
            return index
        }
        let start = end(from: end(from: element.lowerBound, ofSpaces: false), ofSpaces: true)
        return start..<end(from: start, ofSpaces: false)
    }

    private static func isName(_ word: Span<UInt8>) -> Bool {
        word.count == nameLength && word.extracting(first: prefix.count).equals(prefix)
            && (prefix.count..<nameLength).allSatisfy { 0x30...0x39 ~= word[$0] || 0x61...0x66 ~= word[$0] }
    }
}
