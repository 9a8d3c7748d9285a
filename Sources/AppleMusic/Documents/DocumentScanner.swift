// The one pass over an answer's body: JSON by its grammar (RFC 8259), without making values of it.
//
// What must hold: open arrays and objects are on a list, not on the call stack, and at most `JSON.maxDepth`; every byte is
// looked at a bounded number of times; the grammar is that of `JSON.parse`, but for what only a reader of a string needs:
// bytes that are no UTF-8 and halves of surrogate pairs are passed over, and only make the text no document.

struct DocumentScanner {
    /// Nobody can say what the text names: it is malformed, too deep, or names too many resources.
    struct Stop: Error {}

    private(set) var found = FoundNumbers()
    /// Whether the text can still be a document; `refuse()` ends it.
    var isTrusted: Bool
    var envelope = ResourceDocument.Envelope()
    var objects: [ResourceDocument.Object] = []
    var relations: [ResourceDocument.Relation] = []
    /// Those of open `relationships`: they move to `relations` together, so that those of one object lie side by side.
    var pending: [ResourceDocument.Relation] = []

    var current = Frame(role: .outside, isObject: false, start: 0)
    var outer: [Frame] = []
    /// The numbers of the names in all open objects, the innermost last.
    var names: [UInt64] = []
    /// The name that was read last.
    var name = Text()
    var nameNumber: UInt64 = 0
    private var scratch: [UInt8] = []

    /// - Parameter findsDocument: whether more is wanted than the numbers.
    init(findsDocument: Bool) {
        isTrusted = findsDocument
        outer.reserveCapacity(16)
        if findsDocument { names.reserveCapacity(128) } else { current.role = .opaque }
    }

    /// Scans a whole text, once. A text that is no object or array names nothing and is not looked at.
    mutating func scan(_ bytes: Span<UInt8>) throws(Stop) {
        var position = Self.skipWhitespace(bytes, from: 0)
        guard position < bytes.count, bytes[position] == UInt8(ascii: "{") || bytes[position] == UInt8(ascii: "[")
        else { return refuse() }
        guard bytes.count < UInt32.max else { throw Stop() }
        while true {
            if current.isObject { position = try takeName(bytes, at: position) }
            guard try takeValue(bytes, at: &position) else { continue }
            while true {
                position = Self.skipWhitespace(bytes, from: position)
                guard position < bytes.count else { throw Stop() }
                let byte = bytes[unchecked: position]
                position &+= 1
                if byte == UInt8(ascii: ",") {
                    position = Self.skipWhitespace(bytes, from: position)
                    break
                }
                guard byte == current.closing else { throw Stop() }
                try close(bytes, end: position)
                if outer.isEmpty {
                    guard Self.skipWhitespace(bytes, from: position) == bytes.count else { throw Stop() }
                    return
                }
            }
        }
    }

    /// Takes the value at `position` and moves behind it; false where it is an array or object with content, and
    /// `position` is now at that.
    @inline(__always)
    private mutating func takeValue(_ bytes: Span<UInt8>, at position: inout Int) throws(Stop) -> Bool {
        guard position < bytes.count else { throw Stop() }
        switch bytes[unchecked: position] {
        case UInt8(ascii: "\""):
            let text = try string(bytes, at: position)
            position = text.end &+ 1
            if current.member != .other { take(text) }
            return true
        case UInt8(ascii: "{"): try open(isObject: true, at: position)
        case UInt8(ascii: "["): try open(isObject: false, at: position)
        default:
            if current.member != .other { takeScalar() }
            position = try Self.scalar(bytes, at: position)
            return true
        }
        position = Self.skipWhitespace(bytes, from: position &+ 1)
        return position < bytes.count && bytes[unchecked: position] == current.closing
    }

    /// Takes a name and its colon; the position of the value.
    @inline(__always)
    private mutating func takeName(_ bytes: Span<UInt8>, at position: Int) throws(Stop) -> Int {
        guard position < bytes.count, bytes[unchecked: position] == UInt8(ascii: "\"") else { throw Stop() }
        name = try string(bytes, at: position)
        let colon = Self.skipWhitespace(bytes, from: name.end &+ 1)
        guard colon < bytes.count, bytes[unchecked: colon] == UInt8(ascii: ":") else { throw Stop() }
        if name.isEscaped {
            decode(name, bytes)
            enter(MemberName(scratch.span, 0, scratch.count))
        } else {
            enter(MemberName(bytes, name.start, name.end))
        }
        return Self.skipWhitespace(bytes, from: colon &+ 1)
    }

    /// The value to come is of the member `name`.
    @inline(__always)
    private mutating func enter(_ name: MemberName) {
        let known = name.known
        current.member = current.role.member(known)
        guard isTrusted else { return }
        nameNumber = name.number
        if !current.role.isStandard(known) { current.nameSum &+= nameNumber }
        // A name whose bit is not set yet is new; otherwise only looking says whether it is.
        let bit = 1 &<< (nameNumber &>> 58)
        let isNew =
            current.nameBits & bit == 0 || !names[Int(current.firstName)...].contains(nameNumber)
        current.nameBits |= bit
        names.append(nameNumber)
        if !isNew || names.count &- Int(current.firstName) > Frame.maxMembers { refuse() }
    }

    private mutating func open(isObject: Bool, at position: Int) throws(Stop) {
        guard outer.count < JSON.maxDepth else { throw Stop() }
        switch current.member {
        case .id: current.id = Text()
        case .type: current.type = Text()
        default: break
        }
        var role = Role.opaque
        if isTrusted {
            if let known = isObject ? roleOfObject() : roleOfArray() { role = known } else { refuse() }
        }
        outer.append(current)
        current = Frame(role: role, isObject: isObject, start: position)
        if role != .opaque { begin() }
        current.firstName = UInt32(truncatingIfNeeded: names.count)
    }

    /// Closes the innermost array or object, which ends before `end`.
    private mutating func close(_ bytes: Span<UInt8>, end: Int) throws(Stop) {
        if current.id.isPresent && current.type.isPresent {
            current.number = ResourceMention.number(hash(bytes))
            try found.add(current.number)
        }
        if current.role != .opaque { finish(bytes, end: end) }
        if current.isObject, isTrusted { names.removeLast(names.count &- Int(current.firstName)) }
        if let last = outer.popLast() { current = last }
    }

    /// Of the current object's type and id.
    private mutating func hash(_ bytes: Span<UInt8>) -> FNV1a {
        var hash = FNV1a()
        combine(current.type, bytes, into: &hash)
        hash.combine(ResourceMention.separator)
        combine(current.id, bytes, into: &hash)
        return hash
    }

    private mutating func combine(_ text: Text, _ bytes: Span<UInt8>, into hash: inout FNV1a) {
        if text.isEscaped {
            decode(text, bytes)
            for byte in scratch { hash.combine(byte) }
        } else {
            for index in text.start..<text.end { hash.combine(bytes[index]) }
        }
    }

    private mutating func decode(_ text: Text, _ bytes: Span<UInt8>) {
        scratch.removeAll(keepingCapacity: true)
        Self.decode(text, bytes, into: &scratch)
    }

    /// The document of a text that was scanned to its end and not refused.
    var document: ResourceDocument {
        ResourceDocument(envelope: envelope, objects: objects, relations: relations)
    }

    /// From here on the text is only looked through for what it names.
    mutating func refuse() {
        isTrusted = false
        current.role = .opaque
        for index in outer.indices { outer[index].role = .opaque }
        objects = []
        relations = []
        pending = []
        names = []
    }
}
