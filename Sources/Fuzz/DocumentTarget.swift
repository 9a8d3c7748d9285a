@testable import AppleMusic
@testable import Text

extension FuzzTarget {
    /// Scanning reads no further than the bytes; its result is the same each time; there is a
    /// document only where the parser finds an object; each range lies inside the one around it and
    /// holds a whole value.
    static let documents = FuzzTarget(
        name: "documents", summary: "documents of the API, as the scanner finds their parts",
        run: { bytes in
            let scan = DocumentScan(bytes.span)
            precondition(zip(scan.mentions, scan.mentions.dropFirst()).allSatisfy(<), "numbers ascend")
            guard let document = scan.document else {
                return precondition(DocumentScan(bytes.span).document == nil, "no document once is none again")
            }
            guard let again = DocumentScan(bytes.span).document else {
                preconditionFailure("a document once is one again")
            }
            let check = DocumentCheck(bytes: bytes, document: document)
            check.expectSame(again)
            check.expectWhole()
        },
        seeds: {
            Seeds.files("../shared/recordings", ending: ".json")
                + ["", "\u{FEFF}"].map { mark in
                    Array((mark + #"{"data":[{"id":"1","type":"songs","attributes":{"name":"a"}}],"next":"/v1"}"#).utf8)
                }
        })
}

struct DocumentCheck {
    let bytes: [UInt8]
    let document: ResourceDocument

    /// The value in a range; a text that is empty where there may be none.
    private func value(_ span: ByteSpan, in outer: Range<Int>, optional: Bool = false) -> JSON {
        if optional, span.isEmpty { return .null }
        precondition(span.start <= span.end && outer.lowerBound <= span.start && span.end <= outer.upperBound)
        guard let value = try? JSON.parse(bytes.span.extracting(span.range)) else { preconditionFailure("no value") }
        let (first, last) = (bytes[Int(span.start)], bytes[Int(span.end) - 1])
        precondition(first > 0x20 && last > 0x20, "nothing but the value")
        return value
    }

    func expectWhole() {
        guard let whole = try? JSON.parse(content: bytes.span), case .object = whole else {
            preconditionFailure("no object")
        }
        let envelope = document.envelope
        precondition(value(envelope.data, in: 0..<bytes.count, optional: true) == whole["data"] ?? .null)
        precondition(value(envelope.next, in: 0..<bytes.count, optional: true) == whole["next"] ?? .null)
        for index in document.objects.indices { expectObject(index) }
        expectElements(envelope.firstElement, envelope.endElement, of: envelope.data, parent: -1)
        precondition(document.objects.count <= ResourceDocument.maxObjects)
        precondition(document.relations.count <= ResourceDocument.maxRelations)
    }

    private func expectObject(_ index: Int) {
        let object = document.objects[index]
        let range = object.whole.range
        let whole = value(object.whole, in: 0..<bytes.count)
        precondition(value(object.id, in: range) == whole["id"])
        precondition(value(object.typeName, in: range) == whole["type"])
        precondition(value(object.href, in: range, optional: true) == whole["href"] ?? .null)
        precondition(value(object.attributes, in: range, optional: true) == whole["attributes"] ?? .null)
        precondition(object.end > index && object.end <= document.objects.count)
        for inner in index + 1..<Int(object.end) {
            precondition(range.contains(Int(document.objects[inner].whole.end) - 1))
            precondition(document.objects[inner].end <= object.end)
        }
        let type = whole["type"]?.stringValue ?? ""
        precondition(object.number == ResourceMention.number(type: type, id: whole["id"]?.stringValue ?? ""))
        let relations = whole["relationships"]?.objectValue?.members ?? []
        precondition(Int(object.endRelation - object.firstRelation) == relations.count)
        for (offset, member) in relations.enumerated() {
            expectRelation(Int(object.firstRelation) + offset, member.key, member.value, in: range)
        }
    }

    private func expectRelation(_ index: Int, _ name: String, _ wrapper: JSON, in outer: Range<Int>) {
        let relation = document.relations[index]
        let range = relation.whole.range
        precondition(value(relation.spelling, in: outer) == .string(name))
        precondition(value(relation.whole, in: outer) == wrapper)
        precondition(value(relation.data, in: range, optional: true) == wrapper["data"] ?? .null)
        precondition(value(relation.next, in: range, optional: true) == wrapper["next"] ?? .null)
        expectElements(relation.firstElement, relation.endElement, of: relation.data, parent: Int32(index))
    }

    private func expectElements(_ first: UInt32, _ end: UInt32, of data: ByteSpan, parent: Int32) {
        var elements: [JSON] = []
        var next = first
        while next < end {
            let object = document.objects[Int(next)]
            precondition(object.parent == parent)
            elements.append(value(object.whole, in: data.range))
            next = object.end
        }
        precondition(next == end)
        if !data.isEmpty { precondition(value(data, in: 0..<bytes.count) == .array(elements)) }
    }

    func expectSame(_ other: ResourceDocument) {
        precondition(document.objects.count == other.objects.count)
        precondition(document.relations.count == other.relations.count)
        for (mine, theirs) in zip(document.objects, other.objects) {
            precondition(mine.number == theirs.number && mine.whole == theirs.whole && mine.id == theirs.id)
            precondition(mine.parent == theirs.parent && mine.end == theirs.end && mine.type == theirs.type)
            precondition(mine.attributeNames == theirs.attributeNames && mine.otherMembers == theirs.otherMembers)
        }
        for (mine, theirs) in zip(document.relations, other.relations) {
            precondition(mine.name == theirs.name && mine.whole == theirs.whole && mine.data == theirs.data)
        }
    }
}
