import Text

// What an answer of the API says, as facts: what a request needs is what its answer says, and what
// an answer says is known from then on.
//
// A fact is one of these, each within one storefront and one language:
// - an attribute of a resource (so that an answer with `extend` says what one without it says, not
//   the reverse);
// - a part of a list: from one offset to another, or to the end. Lists are relationships and views
//   of a resource, the results of a term for one type, one chart of one genre, hints, suggestions.
//   An inline list and the pages of its path are the same list, and so are the hints of a term with
//   a limit of 5 and of 10;
// - that a resource does not exist: a 404, or an id that a batch left out
//   (APPLE-MUSIC-API 8.10, 8.18).
//
// Taken as known beforehand, because a cache can learn them: which members an answer has at which
// place, how `href` and `next` are written, page sizes, and the order of members.

/// Numbers for texts, so that facts are cheap to compare.
struct TextNumbers {
    private var numbers: [String: Int] = [:]

    var count: Int { numbers.count }

    mutating func number(_ text: String) -> Int {
        if let number = numbers[text] { return number }
        numbers[text] = numbers.count
        return numbers.count - 1
    }
}

/// A part of a list: the window from `range.lowerBound` to where `next` points, `Int.max` where
/// there is no `next`.
struct ListWindow {
    let list: Int
    let range: Range<Int>
    /// Whether as many items were shown as the window is wide, so that it is certain which offset
    /// each of them has.
    let isFull: Bool
}

/// The facts of one answer.
struct ObservedFacts {
    /// By resource, the set of its attributes that are shown.
    var attributes: [(resource: Int, names: UInt64)] = []
    var windows: [ListWindow] = []
    /// Resources said not to exist, and what else is either known or not: the best results of a
    /// search.
    var single: [Int] = []
}

/// Takes answers apart into facts.
struct FactReader {
    private var texts = TextNumbers()
    private var attributeNames = TextNumbers()
    private var facts = ObservedFacts()
    private let closed: (String) -> Bool
    private var isClosed = false
    /// Storefront and language: what is known in one is not known in another.
    private var market = ""

    /// - Parameter closed: whether a storefront's lists have no gaps, so that every item of theirs
    ///   has the offset that it seems to have.
    init(closed: @escaping (String) -> Bool = { _ in false }) {
        self.closed = closed
    }

    /// The facts of the answer to `target`.
    mutating func facts(_ target: TraceTarget, status: Int, _ body: JSON) -> ObservedFacts {
        facts = ObservedFacts()
        let elements = target.elements.dropFirst(2)
        isClosed = closed(String(elements.first ?? ""))
        market = "\(elements.first ?? "")|\(target["l"] ?? "")|"
        let path = elements.dropFirst().map(String.init)
        let offset = target["offset"].flatMap { Int($0) } ?? 0
        switch path.count {
        case 1 where path[0] == "charts": charts(target, body, offset)
        case 1 where path[0] == "search": search(target, body, offset)
        case 1: batch(path[0], target, body)
        case 2 where path[0] == "search": typing(path[1], target, body)
        case 2: single(path, status, body)
        case 3...:
            let name = "\(path[0])|\(path[1])|\(path.dropFirst(2).joined(separator: "/"))|\(target["sort"] ?? "")"
            if status == 200 { list(name, body, offset) } else { end(of: name, at: offset) }
        default: break
        }
        return facts
    }

    private mutating func single(_ path: [String], _ status: Int, _ body: JSON) {
        if status == 200 { items(body) } else { absent(path[0], path[1]) }
    }

    private mutating func batch(_ type: String, _ target: TraceTarget, _ body: JSON) {
        items(body)
        let found = Set((body["data"]?.arrayValue ?? []).compactMap { $0["id"]?.stringValue })
        for id in target.list("ids") where !found.contains(id) { absent(type, id) }
    }

    private mutating func charts(_ target: TraceTarget, _ body: JSON, _ offset: Int) {
        let name = "charts|\(target["chart"] ?? "most-played")|\(target["genre"] ?? "")|"
        for type in target.list("types") {
            for chart in body["results"]?[type]?.arrayValue ?? [] { list(name + type, chart, offset) }
        }
    }

    private mutating func search(_ target: TraceTarget, _ body: JSON, _ offset: Int) {
        let name = "search|\(target["term"] ?? "")|"
        for type in target.list("types") {
            guard let results = body["results"]?[type] else {
                end(of: name + type, at: offset)
                continue
            }
            list(name + type, results, offset)
        }
        if let top = body["results"]?["top"] {
            items(top)
            facts.single.append(texts.number(market + "top|" + name + target.list("types").joined(separator: ",")))
        }
    }

    private mutating func typing(_ endpoint: String, _ target: TraceTarget, _ body: JSON) {
        let name = "\(endpoint)|\(target["term"] ?? "")|"
        let limit = target["limit"].flatMap { Int($0) }
        if let terms = body["results"]?["terms"]?.arrayValue { window(name, 0, terms.count, of: limit ?? 10) }
        let suggestions = body["results"]?["suggestions"]?.arrayValue ?? []
        for kind in target.list("kinds") {
            let ofKind = suggestions.filter { $0["kind"]?.stringValue == kind }
            window(name + kind + (target["types"] ?? ""), 0, ofKind.count, of: limit ?? 5)
            for suggestion in ofKind {
                if let content = suggestion["content"] { resource(content) }
            }
        }
    }

    private mutating func items(_ body: JSON) {
        for item in body["data"]?.arrayValue ?? [] { resource(item) }
    }

    private mutating func resource(_ json: JSON) {
        guard let id = json["id"]?.stringValue, let type = json["type"]?.stringValue else { return }
        if let attributes = json["attributes"]?.objectValue {
            var names: UInt64 = 0
            for key in attributes.keys { names |= 1 << UInt64(attributeNames.number(key)) }
            precondition(attributeNames.count <= 64, "one bit for each attribute")
            facts.attributes.append((texts.number(market + type + "|" + id), names))
        }
        for (member, prefix) in [("relationships", ""), ("views", "view/")] {
            for related in json[member]?.objectValue?.members ?? [] {
                list("\(type)|\(id)|\(prefix)\(related.key)|", related.value, 0)
            }
        }
    }

    /// `{data, next?}`: what is in it, and which part of the list it is.
    private mutating func list(_ name: String, _ json: JSON, _ offset: Int) {
        let items = json["data"]?.arrayValue ?? []
        let next = json["next"]?.stringValue.flatMap { TraceTarget($0)["offset"] }.flatMap { Int($0) }
        let end = next ?? Int.max
        facts.windows.append(
            ListWindow(
                list: texts.number(market + name), range: offset..<end,
                isFull: isClosed || items.count == end - offset))
        for item in items { resource(item) }
    }

    /// A list that ends at or before an offset.
    private mutating func end(of name: String, at offset: Int) {
        facts.windows.append(ListWindow(list: texts.number(market + name), range: offset..<Int.max, isFull: isClosed))
    }

    /// A list without `next`: shorter than the limit means that this is all.
    private mutating func window(_ name: String, _ offset: Int, _ count: Int, of limit: Int) {
        let end = count < limit ? Int.max : offset + limit
        facts.windows.append(ListWindow(list: texts.number(market + name), range: offset..<end, isFull: true))
    }

    private mutating func absent(_ type: String, _ id: String) {
        facts.single.append(texts.number(market + "absent|" + type + "|" + id))
    }
}
