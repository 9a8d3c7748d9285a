// The query of a catalog request: understood parameters, and the rest as it is.
//
// Must hold: a parameter is either understood or part of the decoration, and every one that
// could change the answer in a way not known here makes the request none of ours (nil) or stays in
// the decoration.

/// The parameters of a canonical target (APPLE-MUSIC-API 4.1, 4.3).
struct CatalogQuery {
    private(set) var resources: [ResourceName] = []
    private(set) var include: [[UInt8]] = []
    private(set) var views: [[UInt8]] = []
    private(set) var language: [UInt8] = []
    private(set) var limit: Int?
    private(set) var offset: Int?
    private(set) var decoration: [UInt8] = []
    /// The part of the decoration that may change how a resource looks.
    private(set) var resourceDecoration: [UInt8] = []

    /// Treatment of a parameter.
    private enum Meaning {
        case ids(ResourceClass)
        case include, views, language, limit, offset, selection, decoration, refused
    }

    init?(_ target: borrowing CanonicalTarget, of subject: CatalogRequest.Subject) {
        let bytes = target.bytes
        var start = target.pathCount + 1
        while start < bytes.count {
            let parameter = CatalogQuery.parameter(at: start, in: bytes.span)
            let role = CatalogQuery.role(of: parameter, in: bytes.span, subject, target.route.resourceClass)
            guard read(parameter, role, bytes) else { return nil }
            start = parameter.end + 1
        }
    }

    private static func parameter(at start: Int, in bytes: Span<UInt8>) -> TextSlice {
        var (position, nameEnd) = (start, -1)
        while position < bytes.count, bytes[position] != UInt8(ascii: "&") {
            if nameEnd < 0, bytes[position] == UInt8(ascii: "=") { nameEnd = position }
            position += 1
        }
        return TextSlice(start, keyEnd: nameEnd < 0 ? position : nameEnd, position)
    }

    /// By the name, of which nothing but the plain spelling is understood, and by the target of the
    /// path.
    private static func role(
        of parameter: TextSlice, in bytes: Span<UInt8>, _ subject: CatalogRequest.Subject, _ type: ResourceClass
    ) -> Meaning {
        let name = TextSlice(parameter.start, parameter.keyEnd)
        if name.equals("l", in: bytes) { return .language }
        let isWindow: Bool
        switch subject {
        case .item, .batch: isWindow = false
        case .list, .results: isWindow = true
        }
        switch name.count {
        case 5 where isWindow && name.equals("limit", in: bytes): return .limit
        case 6 where isWindow && name.equals("offset", in: bytes): return .offset
        case _ where subject == .results: return isSelection(name, in: bytes) ? .selection : .decoration
        case 3 where name.equals("ids", in: bytes):
            return subject == .batch && type.isResourceType ? .ids(type) : .refused
        case 5... where subject == .batch && !type.isResourceType && isTyped(name, "ids[", in: bytes):
            let scope = TextSlice(name.start + 4, name.end - 1)
            return ResourceClass(resourceType: scope, in: bytes).map { .ids($0) } ?? .refused
        case 7 where name.equals("include", in: bytes): return .include
        case 5 where subject == .item && name.equals("views", in: bytes): return .views
        case 6... where TextSlice(name.start, name.start + 6).equals("filter", in: bytes): return .refused
        // Ids in relationships, and nothing else of a resource (APPLE-MUSIC-API 4.3.3).
        case 9... where isTyped(name, "relate[", in: bytes): return .selection
        default: return .decoration
        }
    }

    /// False where the parameter cannot be read in one way only.
    private mutating func read(_ parameter: TextSlice, _ role: Meaning, _ bytes: [UInt8]) -> Bool {
        let value = TextSlice(min(parameter.keyEnd + 1, parameter.end), parameter.end)
        switch role {
        case .ids(let type):
            guard !resources.contains(where: { $0.type == type }),
                let elements = CatalogQuery.elements(parameter, bytes)
            else { return false }
            resources += elements.map { ResourceName(type: type, id: $0) }
        case .include:
            guard include.isEmpty, let elements = CatalogQuery.elements(parameter, bytes) else { return false }
            include = elements
        case .views:
            guard views.isEmpty, let elements = CatalogQuery.elements(parameter, bytes) else { return false }
            views = elements
        case .language:
            guard language.isEmpty, let tag = [UInt8](identifier: value, in: bytes) else { return false }
            language = tag
        case .limit:
            guard limit == nil, let number = PlainDecimal.value(of: value, in: bytes.span), number > 0 else {
                return false
            }
            limit = number
        case .offset:
            guard offset == nil, let number = PlainDecimal.value(of: value, in: bytes.span) else { return false }
            offset = number
        case .selection:
            return Self.append(bytes[parameter.start..<parameter.end], to: &decoration)
        case .decoration:
            return Self.append(bytes[parameter.start..<parameter.end], to: &decoration)
                && Self.append(bytes[parameter.start..<parameter.end], to: &resourceDecoration)
        case .refused:
            return false
        }
        return true
    }

    private static func append(_ parameter: ArraySlice<UInt8>, to decoration: inout [UInt8]) -> Bool {
        // Older servers take `;` for `&`: then the query has parameters that were not looked at.
        guard !parameter.contains(UInt8(ascii: ";")) else { return false }
        if !decoration.isEmpty { decoration.append(UInt8(ascii: "&")) }
        decoration.append(contentsOf: parameter)
        return true
    }

    /// Whether a parameter chooses the resources of a search or chart, and not how they look
    /// (APPLE-MUSIC-API 4.3).
    private static func isSelection(_ name: TextSlice, in bytes: Span<UInt8>) -> Bool {
        let names: [StaticString] = ["term", "types", "chart", "genre", "with"]
        return names.contains { name.equals($0, in: bytes) }
    }

    /// `ids[...]`, or another such name.
    private static func isTyped(_ name: TextSlice, _ start: StaticString, in bytes: Span<UInt8>) -> Bool {
        TextSlice(name.start, name.start + start.utf8CodeUnitCount).equals(start, in: bytes)
            && bytes[name.end - 1] == UInt8(ascii: "]")
    }

    /// The elements of a list that are not empty, in their order; nil where there are none, an odd
    /// one, or more than `CatalogRequest.mostNamed`.
    private static func elements(_ parameter: TextSlice, _ bytes: [UInt8]) -> [[UInt8]]? {
        var found: [[UInt8]] = []
        found.reserveCapacity(min((parameter.end - parameter.keyEnd) / 11 + 1, CatalogRequest.mostNamed))
        var list = CommaList(of: parameter)
        while let element = list.next(bytes.span) {
            if element.count == 0 { continue }
            guard found.count < CatalogRequest.mostNamed, let text = [UInt8](identifier: element, in: bytes)
            else { return nil }
            found.append(text)
        }
        return found.isEmpty ? nil : found
    }
}

/// Numbers as the API writes them: at most nine decimal digits, no sign, no leading zeros.
enum PlainDecimal {
    static func value(of slice: TextSlice, in bytes: Span<UInt8>) -> Int? {
        guard (1...9).contains(slice.count) else { return nil }
        if slice.count > 1, bytes[slice.start] == UInt8(ascii: "0") { return nil }
        var value = 0
        for position in slice.start..<slice.end {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[position]) else { return nil }
            value = value * 10 + Int(bytes[position] - UInt8(ascii: "0"))
        }
        return value
    }
}

extension [UInt8] {
    /// Appends a number that is not negative in decimal digits.
    mutating func append(decimal value: Int) {
        if value >= 10 { append(decimal: value / 10) }
        append(UInt8(ascii: "0") + UInt8(value % 10))
    }
}
