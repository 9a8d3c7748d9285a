import AppleMusic
import Cache

// Writes resources in a learnt shape out of stored bytes.
// Must hold: values are copied byte for byte, so that numbers, escapes and unknown members stay as
// the origin wrote them; a resource that cannot be written whole leaves no bytes in the output.

/// Result of writing something.
enum Writing: Equatable {
    case done
    /// The missing parts are in `Assembler.missing`.
    case lacking
    /// The stored answers do not suffice, and no request is known that would help.
    case impossible(MissReason)
}

struct Assembler {
    var sources: StoredSources
    /// The request whose storefront, language and parameters all parts must share.
    private let request: CatalogRequest
    private let forms: LearntForms
    private let absences: KnownAbsences
    private let now: Int64
    private var agreements: [(agreement: PlacementAgreement, crossing: PlacementCrossing)] = []
    private(set) var output = BodyBuilder()
    /// The answers whose bytes are in the output.
    private(set) var used: [StoredSource] = []
    /// Elements of relationships that no stored answer holds.
    private(set) var missing: [ResourceName] = []

    init(
        _ sources: StoredSources, for request: CatalogRequest, forms: LearntForms, absences: KnownAbsences,
        at now: Int64
    ) {
        (self.sources, self.now, self.request) = (sources, now, request)
        (self.forms, self.absences) = (forms, absences)
    }

    /// Whether the storefront was seen without the resource from the part on.
    func isAbsent(_ name: ResourceName, since part: StoredSource) -> Bool {
        absences.holds(
            name.number, in: request.storefront.bytes, asOf: part.response.receivedAt, at: now)
    }

    mutating func append(_ text: StaticString) { output.append(text) }

    mutating func append(_ bytes: [UInt8]) { output.append(bytes, ByteSpan(0, bytes.count)) }

    /// Notes that the output has bytes of the part.
    mutating func use(_ part: StoredSource) {
        if used.last !== part, !used.contains(where: { $0 === part }) { used.append(part) }
    }

    /// Whether the part shows a revision of the object that no newer answer contradicts.
    mutating func isCurrent(_ object: ResourceDocument.Object, in part: StoredSource) -> Bool {
        sources.isCurrent(object, in: part, request)
    }

    /// Whether an answer has the resource under that id.
    mutating func isShown(_ resource: ResourceName) -> Bool {
        let name = NamedResource(number: resource.number, id: resource.id.quoted[...])
        let found = sources.index.sources(of: request.indexNumber(ofResource: resource.number))
        return found.contains { sources.candidate(name, $0) != nil }
    }

    /// Writes the resource as `placement` shows it, or nothing.
    /// - Parameter id: with its quotation marks.
    mutating func write(
        _ resource: UInt64, _ type: ResourceClass, id: ArraySlice<UInt8>, _ shape: ObjectShape, _ placement: Placement
    ) -> Writing {
        let name = NamedResource(number: resource, id: id)
        let found = sources.index.sources(of: request.indexNumber(ofResource: resource))
        var history = ResourceHistory(of: name, found)
        var objection: MissReason?
        while let candidate = history.next(&sources) {
            guard agree(type, candidate.placement, placement, candidate.object),
                shape.describes(candidate.object, in: candidate.part.document)
            else { continue }
            guard sources.isCurrent(inside: candidate.object, of: candidate.part, request) else {
                objection = .contradicted
                continue
            }
            noteCrossing(type, candidate.placement, placement)
            copy(candidate.object.whole, of: candidate.part)
            return .done
        }
        let mark = mark
        let writing = assemble(shape, type, placement, history.usable)
        if writing != .done { rewind(to: mark) }
        guard case .impossible(let reason) = writing else { return writing }
        switch history.objection {
        case .withdrawn: return .impossible(.withdrawn)
        case .contradicted: return .impossible(MissReason.contradicted.orFurther(reason))
        case nil: return .impossible(reason.orFurther(objection))
        }
    }

    /// Writes an element of a list that `part` has, as `placement` shows it.
    mutating func write(
        element: ResourceDocument.Object, of part: StoredSource, _ shapes: ElementShapes, _ placement: Placement,
        shownAs own: Placement
    ) -> Writing {
        guard let type = element.type, let shape = shapes[type] else {
            return .impossible(.typeNeverSeen)
        }
        if shape.isIdentifier { return writeIdentifier(element, of: part, shape) }
        let agrees = agree(type, own, placement, element)
        if agrees, shape.describes(element, in: part.document), isCurrent(element, in: part),
            sources.isCurrent(inside: element, of: part, request)
        {
            noteCrossing(type, own, placement)
            copy(element.whole, of: part)
            return .done
        }
        if shape.isOf(element), agrees, isCurrent(element, in: part) {
            noteCrossing(type, own, placement)
            copy(attributesOf: element, of: part)
            append("}")
            return .done
        }
        let id = part.document.body[element.id.range]
        let writing = write(element.number, type, id: id, shape, placement)
        if writing == .done { return .done }
        let reason = if case .impossible(let reason) = writing { reason } else { MissReason.elementNotHeld }
        guard reason != .withdrawn, isFetchable(type, shape, placement) else {
            return reason == .notHeld ? .impossible(.elementNotHeld) : writing
        }
        missing.append(ResourceName(type: type, id: Array(id.dropFirst().dropLast())))
        return .lacking
    }

    /// Whether a batch of the type would bring what `placement` shows.
    private mutating func isFetchable(_ type: ResourceClass, _ shape: ObjectShape, _ placement: Placement) -> Bool {
        guard request.hasPlainResources, agree(type, .batched, placement) else { return false }
        guard !shape.relations.isEmpty else { return true }
        guard let brought = forms.batchRecord(of: type, for: request, at: now)?.objects[type] else { return false }
        return shape.relations.allSatisfy { relation in brought[relation.name].map { $0.offers(relation) } ?? false }
    }

    /// A state of the output, to `rewind` to.
    struct Mark {
        fileprivate let output: Int
        fileprivate let used: Int
    }

    var mark: Mark { Mark(output: output.count, used: used.count) }

    /// Takes back the output after `mark`, and its parts.
    mutating func rewind(to mark: Mark) {
        output.rewind(to: mark.output)
        used.removeSubrange(mark.used...)
    }
}

// MARK: - Objects

extension Assembler {
    /// Whether resources held in the one placement can be shown in the other, or this one, where it
    /// is given. Parameters like `extend` touch the primary resources alone, so with any of them
    /// nothing is taken from one placement to another (APPLE-MUSIC-API 4.3).
    private mutating func agree(
        _ type: ResourceClass, _ held: Placement, _ wanted: Placement, _ object: ResourceDocument.Object? = nil
    ) -> Bool {
        if held == wanted { return true }
        guard request.hasPlainResources else { return false }
        let index = indexOfAgreement(type)
        guard let object, !object.attributes.isEmpty else {
            return agreements[index].agreement.holds(held, in: wanted)
        }
        return agreements[index].agreement.holds(held, in: wanted, object.attributeNames)
    }

    private mutating func indexOfAgreement(_ type: ResourceClass) -> Int {
        if let index = agreements.firstIndex(where: { $0.crossing.type == type }) { return index }
        agreements.append((forms.agreement(type, in: request.storefront, at: now), PlacementCrossing(type)))
        return agreements.count - 1
    }

    /// Notes that the output shows a resource in another placement, also where it is taken back.
    private mutating func noteCrossing(_ type: ResourceClass, _ held: Placement, _ wanted: Placement) {
        guard held != wanted else { return }
        let index = indexOfAgreement(type)
        agreements[index].crossing.note(PlacementPair(held, wanted))
    }

    /// The resources that the output shows in other placements than they are held in.
    var crossings: [PlacementCrossing] { agreements.compactMap { $0.crossing.isEmpty ? nil : $0.crossing } }

    private mutating func copy(_ span: ByteSpan, of part: StoredSource) {
        output.append(part.document.body, span)
        use(part)
    }

    private mutating func writeIdentifier(
        _ object: ResourceDocument.Object, of part: StoredSource, _ shape: ObjectShape
    ) -> Writing {
        guard shape.hasHref != object.href.isEmpty else { return .impossible(.membersDiffer) }
        if shape.describes(object, in: part.document) {
            copy(object.whole, of: part)
            return .done
        }
        append("{")
        writeHead(object, of: part)
        append("}")
        return .done
    }

    /// Copies all members before the relationships.
    private mutating func copy(attributesOf object: ResourceDocument.Object, of part: StoredSource) {
        append("{")
        writeHead(object, of: part)
        append(",\"attributes\":")
        copy(object.attributes, of: part)
    }

    private mutating func writeHead(_ object: ResourceDocument.Object, of part: StoredSource) {
        append("\"id\":")
        copy(object.id, of: part)
        append(",\"type\":")
        copy(object.typeName, of: part)
        guard !object.href.isEmpty else { return }
        append(",\"href\":")
        copy(object.href, of: part)
    }

    /// Attributes and relationships from answers that show one revision: the base, and those whose
    /// attributes are the same and that differ in no relationship.
    /// - Parameter candidates: the newest first, no two of which contradict each other.
    private mutating func assemble(
        _ shape: ObjectShape, _ type: ResourceClass, _ placement: Placement, _ candidates: [Candidate]
    ) -> Writing {
        guard !candidates.isEmpty else { return .impossible(.notHeld) }
        guard shape.hasAttributes, shape.otherMembers == 0 else { return .impossible(.membersDiffer) }
        guard let base = base(shape, type, placement, candidates) else {
            return .impossible(reasonWithoutBase(type, placement, candidates))
        }
        let alike = candidates.filter { $0.part === base.part || $0.hasSameAttributes(as: base) }
        copy(attributesOf: base.object, of: base.part)
        var result = Writing.done
        for isView in [false, true] where isView ? shape.hasViews : shape.hasRelationships {
            append(isView ? ",\"views\":{" : ",\"relationships\":{")
            let writing = writeRelations(shape.relations.filter { $0.isView == isView }, alike)
            if case .impossible = writing { return writing }
            if writing == .lacking { result = .lacking }
            append("}")
        }
        append("}")
        return result
    }

    /// The newest candidate whose attributes can be taken.
    private mutating func base(
        _ shape: ObjectShape, _ type: ResourceClass, _ placement: Placement, _ candidates: [Candidate]
    ) -> Candidate? {
        for candidate in candidates
        where !candidate.object.attributes.isEmpty && shape.hasHref != candidate.object.href.isEmpty
            && shape.showsAttributes(of: candidate.object)
            && agree(type, candidate.placement, placement, candidate.object)
        {
            noteCrossing(type, candidate.placement, placement)
            return candidate
        }
        return nil
    }

    /// Why the attributes can be taken from no candidate.
    private mutating func reasonWithoutBase(
        _ type: ResourceClass, _ placement: Placement, _ candidates: [Candidate]
    ) -> MissReason {
        candidates.reduce(.notHeld) { reason, candidate in
            let isSame = agree(type, candidate.placement, placement, candidate.object)
            return reason.orFurther(isSame ? .membersDiffer : disagreement(type, candidate.placement, placement))
        }
    }

    /// Why a resource that is held in the one placement is not shown in the other.
    private func disagreement(_ type: ResourceClass, _ held: Placement, _ wanted: Placement) -> MissReason {
        guard request.hasPlainResources else { return .parametersForbid }
        let agreement = forms.agreement(type, in: request.storefront, at: now)
        if agreement.isRefuted(held, wanted) { return .placesDiffer }
        return agreement.wasCompared(held, wanted) ? .placesRarelyCompared : .placesNeverCompared
    }

    private mutating func writeRelations(
        _ relations: [RelationShape], _ candidates: [Candidate]
    ) -> Writing {
        var result = Writing.done
        for (index, relation) in relations.enumerated() {
            if index > 0 { append(",") }
            let writing = write(relation, candidates)
            if case .impossible = writing { return writing }
            // On: what else is lacking is of use to know.
            if writing == .lacking { result = .lacking }
        }
        return result
    }

    private mutating func write(_ shape: RelationShape, _ candidates: [Candidate]) -> Writing {
        var isLacking = false
        // The refusal of the candidate that came furthest, of those that have the relationship.
        var reason: MissReason?
        let known = missing.count
        for candidate in candidates {
            guard let relation = candidate.part.document.relation(shape.name, of: candidate.object) else { continue }
            guard shape.hasSameMembers(as: relation), shape.fits(relation, in: candidate.part.document) else {
                let own: MissReason = shape.hasSameMembers(as: relation) ? .sizeNeverSeen : .relationshipDiffers
                reason = own.orFurther(reason)
                continue
            }
            let (mark, lacked) = (mark, missing.count)
            let writing = write(relation, of: candidate.part, shape)
            // Another candidate's missing part is not needed then.
            switch writing {
            case .done:
                missing.removeSubrange(known..<lacked)
                return .done
            case .lacking: isLacking = true
            case .impossible(let another): reason = another.orFurther(reason)
            }
            rewind(to: mark)
        }
        return isLacking ? .lacking : .impossible(reason ?? .relationshipNotHeld)
    }

    private mutating func write(
        _ relation: ResourceDocument.Relation, of part: StoredSource, _ shape: RelationShape
    ) -> Writing {
        copy(relation.spelling, of: part)
        append(":")
        guard shape.hasData else {
            copy(relation.whole, of: part)
            return .done
        }
        let body = part.document.body
        output.append(body, ByteSpan(Int(relation.whole.start), Int(relation.data.start)))
        append("[")
        var result = Writing.done
        for (index, element) in part.document.elements(of: relation).enumerated() {
            if index > 0 { append(",") }
            let writing = write(
                element: element, of: part, shape.elements, shape.placement, shownAs: shape.placement)
            if case .impossible = writing { return writing }
            if writing == .lacking { result = .lacking }
        }
        append("]")
        output.append(body, ByteSpan(Int(relation.data.end), Int(relation.whole.end)))
        return result
    }
}
