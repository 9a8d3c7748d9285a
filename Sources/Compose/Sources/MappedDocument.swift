import AppleMusic
import Cache

/// An answer's body with the map of its resources.
struct MappedDocument {
    let body: [UInt8]
    /// Made of just this body.
    let map: ResourceDocument

    typealias Object = ResourceDocument.Object
    typealias Relation = ResourceDocument.Relation

    /// The relationships of an object, in the order in which they stand.
    func relations(of object: Object) -> ArraySlice<Relation> {
        map.relations[Int(object.firstRelation)..<Int(object.endRelation)]
    }

    func relation(_ name: UInt64, of object: Object) -> Relation? {
        relations(of: object).first { $0.name == name }
    }

    func elements(of relation: Relation) -> Elements {
        Elements(map: map, index: Int(relation.firstElement), end: Int(relation.endElement))
    }

    /// The document's own list.
    var primary: Elements {
        Elements(map: map, index: Int(map.envelope.firstElement), end: Int(map.envelope.endElement))
    }

    /// The offset in a link; nil where there is none.
    func offset(in next: ByteSpan) -> Int? {
        guard next.count > 2 else { return nil }
        return PageLink.offset(in: body.span.extracting(next.unquoted))
    }

    /// A number for the parameters of a link, their numerals apart: forms may have others.
    func parameters(in link: ByteSpan) -> UInt64 {
        var (number, isQuery): (UInt64, Bool) = (0, false)
        for byte in body[link.range] {
            if byte == UInt8(ascii: "?") { isQuery = true }
            guard isQuery, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { continue }
            number = (number ^ UInt64(byte)) &* 0x9E37_79B9_7F4A_7C15
        }
        return number
    }

    /// The objects of one list: each ends where the next begins.
    struct Elements: Sequence, IteratorProtocol {
        fileprivate let map: ResourceDocument
        fileprivate var index: Int
        fileprivate let end: Int

        /// Number of objects that `next` still gives.
        var count: Int { reduce(0) { count, _ in count + 1 } }

        mutating func next() -> Object? {
            guard index < end else { return nil }
            let object = map.objects[index]
            index = Int(object.end)
            return object
        }
    }
}

extension ResourceDocument: Outline {}
