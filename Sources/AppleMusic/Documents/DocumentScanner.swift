import Text

// The one pass over an answer's body: JSON by its grammar (RFC 8259), without making values of it.
//
// Must hold: open arrays and objects are on a list, not on the call stack, and at most
// `JSON.maxDepth`; every byte is looked at a bounded number of times; the grammar is that of
// `JSON.parse`, but for a byte order mark, which is passed over, and for strings: bytes that are no
// UTF-8 and halves of surrogate pairs are passed over, and only make the text no document.

struct DocumentScanner: ~Copyable {
    /// The resources that the text names are unknown: it is malformed or too deep.
    struct Stop: Error {}

    private var found = FoundNumbers()
    /// Whether the text can still be a document; `refuse()` ends it.
    var isTrusted = true
    var envelope = ResourceDocument.Envelope()
    var objects: BoundedStack<ResourceDocument.Object>
    var relations = BoundedStack<ResourceDocument.Relation>(capacity: ResourceDocument.maxRelations, room: 16)
    /// Relations of open resources: they move to `relations` together, so that those of one object
    /// lie side by side.
    var pending = BoundedStack<ResourceDocument.Relation>(capacity: ResourceDocument.maxRelations, room: 16)

    var current = Frame(role: .outside, isObject: false, start: 0)
    /// Frames around the current one, from the outermost.
    var outer = BoundedStack<Frame>(capacity: JSON.maxDepth, room: 16)
    /// The numbers of the names in all open objects, the innermost last.
    private var names = BoundedStack<UInt64>(capacity: JSON.maxDepth * Frame.maxMembers, room: 128)
    /// The name that was read last.
    var name = StringToken()
    var nameNumber: UInt64 = 0
    /// The number of the resource that was found last.
    private(set) var resourceNumber: UInt64 = 0
    /// The type of the resource that was found last: that of the next is mostly the same.
    var lastType = TypeSpelling()
    private var scratch: [UInt8] = []
    var content = AnswerContent()

    /// - Parameter byteCount: of the text to come.
    init(byteCount: Int) {
        // An identifier with its href takes about that many bytes: room for all, so that they are
        // never moved.
        objects = BoundedStack(capacity: ResourceDocument.maxObjects, room: byteCount / 96 + 1)
    }

    /// Scans a whole text, once. A text that is no object or array names nothing and is not looked
    /// at.
    mutating func scan(_ bytes: Span<UInt8>) throws(Stop) {
        var position = Self.skipWhitespace(bytes, from: bytes.byteOrderMarkCount)
        guard position < bytes.count, bytes[position] == UInt8(ascii: "{") || bytes[position] == UInt8(ascii: "[")
        else { return refuse() }
        guard bytes.count <= Int32.max else { throw Stop() }
        while true {
            if current.isObject { position = try takeName(bytes, at: position) }
            guard position < bytes.count else { throw Stop() }
            if bytes[unchecked: position] == UInt8(ascii: "\"") {
                let text = try string(bytes, at: position)
                if current.member != .other { take(text) }
                position = text.end &+ 1
            } else {
                let value = try takeValue(bytes, at: position)
                position = value.end
                if value.isOpen { continue }
            }
            position = try takeEnds(bytes, at: position)
            if outer.count == 0 { break }
        }
        guard Self.skipWhitespace(bytes, from: position) == bytes.count else { throw Stop() }
    }

    /// The numbers that the text names, once it is scanned. Taken out, so that they are put in
    /// order where they are.
    mutating func takeFound() -> [UInt64] {
        var taken = FoundNumbers()
        swap(&taken, &found)
        return taken.sorted()
    }

    /// Takes the closing brackets after a value, and the comma after those unless the text's own
    /// was one of them; returns the position after them.
    @inline(__always)
    private mutating func takeEnds(_ bytes: Span<UInt8>, at start: Int) throws(Stop) -> Int {
        var position = start
        // Mostly a comma, and something after it at once.
        if bytes.count &- position >= 2, bytes[unchecked: position] == UInt8(ascii: ","),
            bytes[unchecked: position &+ 1] > 0x20
        {
            return position &+ 1
        }
        while true {
            position = Self.skipWhitespace(bytes, from: position)
            guard position < bytes.count else { throw Stop() }
            let byte = bytes[unchecked: position]
            position &+= 1
            if byte == UInt8(ascii: ",") { return Self.skipWhitespace(bytes, from: position) }
            guard byte == current.closing else { throw Stop() }
            close(bytes, end: position)
            if outer.count == 0 { return position }
        }
    }

    /// Takes the value at `position`, no string: the position after it. Or, if it is an array or
    /// object with content, which is open then, that of the content; if it is one without, that of
    /// its closing bracket.
    private mutating func takeValue(
        _ bytes: Span<UInt8>, at position: Int
    ) throws(Stop) -> (end: Int, isOpen: Bool) {
        switch bytes[position] {
        case UInt8(ascii: "{"): try open(isObject: true, at: position)
        case UInt8(ascii: "["): try open(isObject: false, at: position)
        default:
            if current.member != .other { takeScalar() }
            return (try Self.scalar(bytes, at: position), false)
        }
        let content = Self.skipWhitespace(bytes, from: position &+ 1)
        return (content, content >= bytes.count || bytes[unchecked: content] != current.closing)
    }

    /// Takes a name and its colon; the position of the value.
    @inline(__always)
    private mutating func takeName(_ bytes: Span<UInt8>, at position: Int) throws(Stop) -> Int {
        guard position < bytes.count, bytes[unchecked: position] == UInt8(ascii: "\"") else { throw Stop() }
        let end: Int
        if let short = MemberName(shortAt: position &+ 1, bytes) {
            end = position &+ 1 &+ short.count
            name = StringToken(position &+ 1, end, isEscaped: false)
            enter(short)
            // There are two bytes more; mostly a colon, and something after it at once.
            if bytes[unchecked: end &+ 1] == UInt8(ascii: ":"), bytes[unchecked: end &+ 2] > 0x20 { return end &+ 2 }
        } else {
            try takeLongName(bytes, at: position)
            end = name.end
        }
        let colon = Self.skipWhitespace(bytes, from: end &+ 1)
        guard colon < bytes.count, bytes[unchecked: colon] == UInt8(ascii: ":") else { throw Stop() }
        return Self.skipWhitespace(bytes, from: colon &+ 1)
    }

    /// A name that is long, escaped, not ASCII or near the end of the text.
    @inline(never)
    private mutating func takeLongName(_ bytes: Span<UInt8>, at position: Int) throws(Stop) {
        name = try string(bytes, at: position)
        if name.isEscaped {
            decode(name, bytes)
            enter(MemberName(scratch.span, 0, scratch.count))
        } else {
            enter(MemberName(bytes, name.start, name.end))
        }
    }

    /// The value to come is of the member `name`.
    @inline(__always)
    private mutating func enter(_ name: MemberName) {
        let known = current.role.knowsMore ? name.known : name.idOrType
        current.member = current.role.member(known)
        guard isTrusted else { return }
        let number = name.number
        nameNumber = number
        if !current.role.isStandard(known) { current.nameSum &+= number }
        let bit = 1 &<< (number &>> 58)
        // A name whose bit is not set yet is new; otherwise only looking says whether it is.
        let first = Int(current.firstName)
        if names.count &- first == Frame.maxMembers
            || current.nameBits & bit != 0 && names.contains(number, from: first)
        {
            return refuse()
        }
        current.nameBits |= bit
        names.push(number)
    }

    @inline(__always)
    private mutating func open(isObject: Bool, at position: Int) throws(Stop) {
        guard !outer.isFull else { throw Stop() }
        switch current.member {
        case .id: current.id = StringToken()
        case .type: current.type = StringToken()
        default: break
        }
        var role = FrameRole.opaque
        if isTrusted {
            if let known = isObject ? roleOfObject() : roleOfArray() { role = known } else { refuse() }
        }
        outer.push(current)
        let index = current.index
        current = Frame(role: role, isObject: isObject, start: position)
        current.index = index
        current.firstName = UInt32(truncatingIfNeeded: names.count)
        if role != .opaque { begin() }
    }

    /// Closes the innermost array or object, which ends before `end`.
    private mutating func close(_ bytes: Span<UInt8>, end: Int) {
        if current.id.isPresent && current.type.isPresent {
            resourceNumber = ResourceMention.number(hash(bytes))
            found.add(resourceNumber)
        }
        switch outer.count {
        case 1: content.noteWhole(bytes, Int(current.start))
        case 2: content.noteMember(bytes, Int(current.start), end)
        default: break
        }
        if current.role != .opaque { finish(bytes, end: end) }
        names.shrink(to: Int(current.firstName))
        current = outer.pop()
    }

    /// The hash of the current object's type and id.
    private mutating func hash(_ bytes: Span<UInt8>) -> FNV1a {
        if !current.type.isEscaped, !lastType.isSpelt(current.type, in: bytes) {
            lastType = TypeSpelling(current.type, in: bytes)
        }
        var hash = lastType.hash
        if current.type.isEscaped {
            decode(current.type, bytes)
            hash = FNV1a()
            for byte in scratch { hash.combine(byte) }
            hash.combine(ResourceMention.separator)
        }
        if current.id.isEscaped {
            decode(current.id, bytes)
            for byte in scratch { hash.combine(byte) }
        } else {
            hash.combine(bytes, current.id.start, current.id.end)
        }
        return hash
    }

    private mutating func decode(_ text: StringToken, _ bytes: Span<UInt8>) {
        scratch.removeAll(keepingCapacity: true)
        Self.decode(text, bytes, into: &scratch)
    }

    /// The document of a text that was scanned to its end and not refused.
    var document: ResourceDocument {
        ResourceDocument(envelope: envelope, objects: objects.elements, relations: relations.elements)
    }

    /// From here on the text is only looked through for resources that it names.
    mutating func refuse() {
        isTrusted = false
        current.role = .opaque
        for index in 0..<outer.count { outer[index].role = .opaque }
        objects.shrink(to: 0)
        relations.shrink(to: 0)
        pending.shrink(to: 0)
    }
}
