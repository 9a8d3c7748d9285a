import AppleMusic
import Cache

// Writes resources in a learnt shape out of stored bytes.
// Must hold: values are copied as they stand, never written anew, so that numbers, escapes and unknown members stay as the
// origin wrote them; what cannot be written whole leaves no trace in the output.

/// A resource that would have been needed.
struct MissingResource: Hashable {
    let type: ResourceClass
    /// As it stands in the document that names it, without quotation marks.
    let id: [UInt8]
}

struct Assembler {
    private var material: Material
    /// Of whose circumstances the parts have to be: storefront, language and parameters.
    private let request: CatalogRequest
    private let forms: LearntForms
    private var agreements: [(type: ResourceClass, agreement: RoleAgreement)] = []
    private(set) var output: [UInt8] = []
    /// The answers whose bytes are in the output.
    private(set) var used: [Part] = []
    /// The elements of relationships that are nowhere stored.
    private(set) var missing: [MissingResource] = []

    init(_ material: Material, for request: CatalogRequest, forms: LearntForms) {
        self.material = material
        self.request = request
        self.forms = forms
    }

    mutating func reserve(_ count: Int) { output.reserveCapacity(count) }

    mutating func append(_ text: StaticString) {
        output.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    mutating func append(_ bytes: some Collection<UInt8>) { output.append(contentsOf: bytes) }

    /// Marks the part as one whose bytes are in the output.
    mutating func use(_ part: Part) {
        if used.last !== part, !used.contains(where: { $0 === part }) { used.append(part) }
    }

    mutating func places(_ number: UInt64) -> [(part: Part, place: Place)] { material.places(number) }

    /// Writes the resource as `role` shows it; false, and nothing is written, where that is not possible.
    /// - Parameter id: with its quotation marks.
    mutating func write(
        _ resource: UInt64, _ type: ResourceClass, id: ArraySlice<UInt8>, _ shape: ObjectShape, _ role: Role
    ) -> Bool {
        let candidates = material.candidates(request.indexNumber(ofResource: resource), resource: resource, id: id)
        for candidate in candidates where agree(type, candidate.role, role) {
            if shape.describes(candidate.object, in: candidate.part.document) {
                copy(candidate.object.whole, of: candidate.part)
                return true
            }
        }
        return assemble(shape, type, role, candidates)
    }

    /// Writes an element of a list that `part` has, as `role` shows it.
    mutating func write(
        element: ResourceDocument.Object, of part: Part, _ shapes: ElementShapes, _ role: Role, standingAs own: Role
    ) -> Bool {
        guard let type = element.type, let shape = shapes[type] else { return false }
        if shape.isIdentifier { return writeIdentifier(element, of: part, shape) }
        if agree(type, own, role), shape.describes(element, in: part.document) {
            copy(element.whole, of: part)
            return true
        }
        let id = part.document.body[element.id.range]
        if write(element.number, type, id: id, shape, role) { return true }
        missing.append(MissingResource(type: type, id: Array(id.dropFirst().dropLast())))
        return false
    }

    /// Takes back what was written behind `mark`.
    mutating func rewind(to mark: Int) {
        output.removeSubrange(mark...)
    }
}

// MARK: - Objects

extension Assembler {
    /// Whether what a resource shows in the one role is what it shows in the other. Parameters like `extend` touch the
    /// primary resources alone, so with any of them nothing is taken from one role to another (API.md 4.3).
    private mutating func agree(_ type: ResourceClass, _ one: Role, _ other: Role) -> Bool {
        if one == other { return true }
        guard request.form.decoration.isEmpty else { return false }
        if let known = agreements.first(where: { $0.type == type }) { return known.agreement.holds(one, other) }
        let agreement = forms.agreement(type)
        agreements.append((type, agreement))
        return agreement.holds(one, other)
    }

    private mutating func copy(_ span: ByteSpan, of part: Part) {
        output.append(contentsOf: part.document.body[span.range])
        use(part)
    }

    private mutating func writeIdentifier(
        _ object: ResourceDocument.Object, of part: Part, _ shape: ObjectShape
    ) -> Bool {
        guard shape.hasHref != object.href.isEmpty else { return false }
        if shape.describes(object, in: part.document) {
            copy(object.whole, of: part)
            return true
        }
        append("{")
        writeHead(object, of: part)
        append("}")
        return true
    }

    private mutating func writeHead(_ object: ResourceDocument.Object, of part: Part) {
        append("\"id\":")
        copy(object.id, of: part)
        append(",\"type\":")
        copy(object.typeName, of: part)
        guard !object.href.isEmpty else { return }
        append(",\"href\":")
        copy(object.href, of: part)
    }

    /// Attributes from one place, relationships from where they are.
    private mutating func assemble(
        _ shape: ObjectShape, _ type: ResourceClass, _ role: Role, _ candidates: [Candidate]
    ) -> Bool {
        guard shape.hasAttributes, shape.otherMembers == 0 else { return false }
        var base: Candidate?
        for candidate in candidates
        where !candidate.object.attributes.isEmpty && shape.hasHref != candidate.object.href.isEmpty
            && agree(type, candidate.role, role)
        {
            base = candidate
            break
        }
        guard let base else { return false }
        let mark = output.count
        append("{")
        writeHead(base.object, of: base.part)
        append(",\"attributes\":")
        copy(base.object.attributes, of: base.part)
        guard !shape.hasRelationships || writeRelationships(shape, candidates) else {
            rewind(to: mark)
            return false
        }
        append("}")
        return true
    }

    private mutating func writeRelationships(_ shape: ObjectShape, _ candidates: [Candidate]) -> Bool {
        append(",\"relationships\":{")
        var isComplete = true
        for (index, relation) in shape.relations.enumerated() {
            if index > 0 { append(",") }
            // On after a failure: what else is missing is of use to know.
            if !write(relation, candidates) { isComplete = false }
        }
        append("}")
        return isComplete
    }

    private mutating func write(_ shape: RelationShape, _ candidates: [Candidate]) -> Bool {
        for candidate in candidates {
            guard let relation = candidate.part.document.relation(shape.name, of: candidate.object),
                shape.hasSameMembers(as: relation)
            else { continue }
            let mark = output.count
            if write(relation, of: candidate.part, shape) { return true }
            rewind(to: mark)
        }
        return false
    }

    private mutating func write(
        _ relation: ResourceDocument.Relation, of part: Part, _ shape: RelationShape
    ) -> Bool {
        var count = 0
        for _ in part.document.elements(of: relation) { count += 1 }
        guard shape.fits(relation, count, in: part.document) else { return false }
        copy(relation.spelling, of: part)
        append(":")
        guard shape.hasData else {
            copy(relation.whole, of: part)
            return true
        }
        let body = part.document.body
        output.append(contentsOf: body[Int(relation.whole.start)..<Int(relation.data.start)])
        append("[")
        var isComplete = true
        for (index, element) in part.document.elements(of: relation).enumerated() {
            if index > 0 { append(",") }
            if !write(element: element, of: part, shape.elements, .included, standingAs: .included) {
                isComplete = false
            }
        }
        append("]")
        output.append(contentsOf: body[Int(relation.data.end)..<Int(relation.whole.end)])
        use(part)
        return isComplete
    }
}
