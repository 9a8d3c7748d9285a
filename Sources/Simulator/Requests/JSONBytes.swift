import Text

// JSON written straight into bytes. A comma is due unless the last byte opens something, so callers
// never count.

struct JSONBytes: Sendable {
    private(set) var bytes: [UInt8] = []

    init() { bytes.reserveCapacity(16384) }

    /// A comma where one is due, and the name of a member; the value comes next.
    mutating func key(_ name: String?) {
        if let last = bytes.last, last != 0x7B, last != 0x5B, last != 0x3A { bytes.append(0x2C) }
        guard let name else { return }
        JSON.write(string: name, to: &bytes)
        bytes.append(0x3A)
    }

    mutating func raw(_ text: String) { bytes.append(text: text) }

    mutating func beginObject(_ name: String? = nil) {
        key(name)
        bytes.append(0x7B)
    }

    mutating func endObject() { bytes.append(0x7D) }

    mutating func beginArray(_ name: String? = nil) {
        key(name)
        bytes.append(0x5B)
    }

    mutating func endArray() { bytes.append(0x5D) }

    /// A string whose content the closure appends; it must need no escapes.
    mutating func text(_ name: String? = nil, _ write: (inout [UInt8]) -> Void) {
        key(name)
        bytes.append(0x22)
        write(&bytes)
        bytes.append(0x22)
    }

    /// Writes a member that is a link; parameters without a value are left out.
    mutating func link(_ name: String, _ path: String, _ parameters: KeyValuePairs<String, String?>) {
        text(name) { $0.appendLink(path, parameters) }
    }

    mutating func member(_ name: String, _ value: String) {
        key(name)
        JSON.write(string: value, to: &bytes)
    }

    /// - Parameter name: nil for an element of an array.
    mutating func member(_ name: String?, _ value: JSON) {
        key(name)
        value.write(to: &bytes)
    }
}

extension [UInt8] {
    /// Through pointers: element by element, as from a `utf8` view, it costs ten times as much
    /// without optimisation.
    mutating func append(text: String) {
        var text = text
        text.withUTF8 { append(contentsOf: $0) }
    }
}
