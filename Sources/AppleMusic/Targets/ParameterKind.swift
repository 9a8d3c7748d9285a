// The kind of a query parameter's value, by its name.

/// The kinds of parameters that the key and the scope depend on (APPLE-MUSIC-API 4.3, 14.1, 14.2).
enum ParameterKind {
    /// The value is text, or a list whose order may be visible in the answer (`term`,
    /// `filter[isrc]`).
    case ordered
    /// `ids`, also scoped: a list whose order may be visible in the answer, where an id may be one
    /// user's.
    case ids
    /// `include`, `extend`, `types`, `views`, `relate`, `fields`, also scoped (`extend[albums]`):
    /// the order of the elements says nothing.
    case set
    /// `with`, and the `types` of a library search: a list that names the same things as a set, in
    /// an order that counts.
    case list
    /// `filter[identity]`, where `personal` means the user's own.
    case identityFilter
    /// `ids[ratings]` and `ids[library-songs]`: resources of a user, whatever the ids are.
    case usersIDs

    /// By canonical name. Case counts, as it does for the origin.
    /// - Parameter keepsTypes: whether the order of `types` counts.
    init(of parameter: TextSlice, in bytes: Span<UInt8>, keepsTypes: Bool) {
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
            case 3 where base.equals("ids", in: bytes):
                isScoped && TextSlice(base.end + 1, name.end - 1).isUsersType(in: bytes) ? .usersIDs : .ids
            case 4 where base.equals("with", in: bytes): .list
            case 5 where base.equals("types", in: bytes): keepsTypes ? .list : .set
            case 5 where base.equals("views", in: bytes): .set
            case 6 where base.equals("relate", in: bytes): .set
            case 6 where base.equals("extend", in: bytes) || base.equals("fields", in: bytes): .set
            case 6 where name.equals("filter[identity]", in: bytes): .identityFilter
            case 7 where base.equals("include", in: bytes): .set
            default: .ordered
            }
    }

    var isSet: Bool { if case .set = self { true } else { false } }

    /// Whether the answer belongs to a user. Spaces around an element do not count: a server may
    /// trim them.
    func isPersonal(_ parameter: TextSlice, in bytes: Span<UInt8>) -> Bool {
        switch self {
        case .ordered: return false
        case .usersIDs: return true
        case .ids, .set, .list, .identityFilter: break
        }
        var elements = CommaList(of: parameter)
        while let element = elements.next(bytes) {
            if namesUsers(element.trimmed(of: UInt8(ascii: "+"), in: bytes), in: bytes) { return true }
        }
        return false
    }

    /// Whether an element of the parameter's list names something of the user's own.
    private func namesUsers(_ element: TextSlice, in bytes: Span<UInt8>) -> Bool {
        switch self {
        case .ids: return element.isUsersID(in: bytes)
        case .identityFilter: return element.equals("personal", in: bytes)
        case .ordered, .set, .list, .usersIDs: break
        }
        return element.equals("library", in: bytes) || element.equals("inLibrary", in: bytes)
            || element.equals("inFavorites", in: bytes) || element.isUsersType(in: bytes)
    }

    /// Whether the elements of a set are in order, each once.
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

    /// Whether it is the id of a user's own station (APPLE-MUSIC-API 5.2.3), which exists for that
    /// user alone.
    func isUsersID(in bytes: Span<UInt8>) -> Bool {
        count >= 5 && TextSlice(start, start + 5).equals("ra.u-", in: bytes)
    }

    /// Whether it names a type whose resources are a user's: `ratings`, `library-songs` and kin.
    fileprivate func isUsersType(in bytes: Span<UInt8>) -> Bool {
        equals("ratings", in: bytes) || count > 8 && TextSlice(start, start + 8).equals("library-", in: bytes)
    }
}
