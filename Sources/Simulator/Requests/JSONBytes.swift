import Text

// JSON written straight into bytes. A comma is due unless the last byte opens something, so callers
// never count.

/// An append-only JSON text.
struct JSONBytes: Sendable {
    private(set) var bytes: [UInt8] = []

    init(capacity: Int = 4096) { bytes.reserveCapacity(capacity) }

    private mutating func separate() {
        guard let last = bytes.last else { return }
        if last != 0x7B, last != 0x5B, last != 0x3A { bytes.append(0x2C) }
    }

    mutating func raw(_ text: StaticString) { bytes.append(literal: text) }

    mutating func beginObject() {
        separate()
        bytes.append(0x7B)
    }

    mutating func endObject() { bytes.append(0x7D) }

    mutating func beginArray() {
        separate()
        bytes.append(0x5B)
    }

    mutating func endArray() { bytes.append(0x5D) }

    /// A key that needs no escapes.
    mutating func key(_ name: StaticString) {
        value(name)
        bytes.append(0x3A)
    }

    mutating func key(_ name: String) {
        value(name)
        bytes.append(0x3A)
    }

    mutating func value(_ text: StaticString) { self.text { $0.append(literal: text) } }

    mutating func value(_ text: String) {
        separate()
        JSON.write(string: text, to: &bytes)
    }

    /// A string whose content the closure appends; it must need no escapes.
    mutating func text(_ write: (inout [UInt8]) -> Void) {
        separate()
        bytes.append(0x22)
        write(&bytes)
        bytes.append(0x22)
    }

    mutating func value(_ number: Int) {
        separate()
        bytes.append(text: String(number))
    }

    mutating func value(_ flag: Bool) {
        separate()
        raw(flag ? "true" : "false")
    }
}

extension JSONBytes {
    mutating func beginObject(_ name: StaticString) {
        key(name)
        beginObject()
    }

    mutating func beginArray(_ name: StaticString) {
        key(name)
        beginArray()
    }

    mutating func member(_ name: StaticString, _ text: String) {
        key(name)
        value(text)
    }

    mutating func member(_ name: StaticString, _ text: StaticString) {
        key(name)
        value(text)
    }

    mutating func member(_ name: StaticString, _ number: Int) {
        key(name)
        value(number)
    }

    mutating func member(_ name: StaticString, _ flag: Bool) {
        key(name)
        value(flag)
    }
}

extension [UInt8] {
    /// Through pointers: element by element, as from a `utf8` view, it costs ten times as much
    /// without optimisation.
    mutating func append(literal: StaticString) {
        append(contentsOf: UnsafeBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount))
    }

    mutating func append(text: String) {
        var text = text
        text.withUTF8 { append(contentsOf: $0) }
    }
}
