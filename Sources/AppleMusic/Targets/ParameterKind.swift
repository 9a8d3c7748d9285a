// What the name of a query parameter says about its value.

/// The kinds of parameters that the key and the scope depend on (APPLE-MUSIC-API 4.3, 14.1, 14.2).
enum ParameterKind {
    /// The value is text, or a list whose order may be visible in the answer (`ids`, `term`,
    /// `filter[isrc]`).
    case ordered
    /// `extend`, `types`, `views`, `fields`, also scoped (`extend[albums]`): the order of the
    /// elements says nothing.
    case set
    /// `include` and `relate`, also scoped: a set that makes the answer personal if it names
    /// `library`.
    case relationshipSet
    /// `filter[identity]`, where `personal` means the user's own.
    case identityFilter
    /// `ids[ratings]`: ratings are always the user's.
    case ratingIDs

    /// By canonical name. Case counts, as it does for the origin.
    init(of parameter: TextSlice, in bytes: Span<UInt8>) {
        let name = TextSlice(parameter.start, parameter.keyEnd)
        var base = name
        for position in name.start..<name.end where bytes[position] == UInt8(ascii: "[") {
            base = TextSlice(name.start, position)
            break
        }
        let isScoped = base.count < name.count
        guard !isScoped || bytes[name.end - 1] == UInt8(ascii: "]") else {
            self = .ordered
            return
        }
        self =
            switch base.count {
            case 3 where name.equals("ids[ratings]", in: bytes): .ratingIDs
            case 5 where base.equals("types", in: bytes) || base.equals("views", in: bytes): .set
            case 6 where base.equals("relate", in: bytes): .relationshipSet
            case 6 where base.equals("extend", in: bytes) || base.equals("fields", in: bytes): .set
            case 6 where name.equals("filter[identity]", in: bytes): .identityFilter
            case 7 where base.equals("include", in: bytes): .relationshipSet
            default: .ordered
            }
    }

    var isSet: Bool {
        switch self {
        case .set, .relationshipSet: true
        case .ordered, .identityFilter, .ratingIDs: false
        }
    }

    /// The value that makes a request personal, as an element of the parameter's list.
    private var personalElement: StaticString? {
        switch self {
        case .relationshipSet: "library"
        case .identityFilter: "personal"
        case .ordered, .set, .ratingIDs: nil
        }
    }

    /// Whether the answer belongs to a user. Spaces around an element do not count: a server may
    /// trim them.
    func isPersonal(_ parameter: TextSlice, in bytes: Span<UInt8>) -> Bool {
        if case .ratingIDs = self { return true }
        guard let personalElement else { return false }
        var elements = CommaList(of: parameter)
        while let element = elements.next(bytes) {
            if element.trimmed(of: UInt8(ascii: "+"), in: bytes).equals(personalElement, in: bytes) { return true }
        }
        return false
    }

    /// Whether the elements of a set stand in order, each once.
    static func isAscending(_ parameter: TextSlice, in bytes: Span<UInt8>) -> Bool {
        var elements = CommaList(of: parameter)
        var previous: TextSlice?
        while let element = elements.next(bytes) {
            if let previous, previous.compareKey(element, in: bytes) >= 0 { return false }
            previous = element
        }
        return true
    }
}

/// The elements between the commas of a parameter's value; empty ones too.
struct CommaList {
    private var position: Int
    private let end: Int

    init(of parameter: TextSlice) {
        position = parameter.keyEnd + 1
        end = parameter.end
    }

    mutating func next(_ bytes: Span<UInt8>) -> TextSlice? {
        guard position <= end else { return nil }
        let start = position
        while position < end, bytes[position] != UInt8(ascii: ",") { position += 1 }
        defer { position += 1 }
        return TextSlice(start, position)
    }
}

extension TextSlice {
    func trimmed(of padding: UInt8, in bytes: Span<UInt8>) -> TextSlice {
        var (first, last) = (start, end)
        while first < last, bytes[first] == padding { first += 1 }
        while last > first, bytes[last - 1] == padding { last -= 1 }
        return TextSlice(first, last)
    }
}
