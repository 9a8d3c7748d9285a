import AppleMusic

// The look of a resource at one place in the answers of one form, as the origin was seen to send
// it: which members, which relationships, and how their elements look in turn. Pure.
// Must hold: a shape grows only by observations; two observations that differ are a contradiction
// and never averaged; a shape is no deeper than `maxDepth`.

/// The shape of resources of one type at one place (APPLE-MUSIC-API 5.3, 6).
struct ObjectShape: Sendable, Equatable {
    let hasHref: Bool
    let hasAttributes: Bool
    private(set) var hasRelationships: Bool
    private(set) var hasViews: Bool
    /// See `ResourceDocument.Object`.
    let otherMembers: UInt64
    /// Relationships and views.
    private(set) var relations: [RelationShape]
    private var attributes = AttributeCombinations()

    /// Deeper nesting was never seen from the origin (APPLE-MUSIC-API 6 knows two levels).
    static let maxDepth = 6

    /// Whether it is no more than id, type and perhaps href.
    var isIdentifier: Bool { !hasAttributes && !hasRelationships && !hasViews && otherMembers == 0 }

    /// Learns a shape from the first object seen; nil where it is nested too deeply.
    init?(_ object: ResourceDocument.Object, in document: MappedDocument, depth: Int = 0) {
        guard depth < Self.maxDepth else { return nil }
        hasHref = !object.href.isEmpty
        hasAttributes = !object.attributes.isEmpty
        hasRelationships = object.hasRelationships
        hasViews = object.hasViews
        otherMembers = object.otherMembers
        attributes.note(object.attributeNames)
        relations = []
        for relation in document.relations(of: object) {
            guard let shape = RelationShape(relation, in: document, depth: depth + 1) else { return nil }
            relations.append(shape)
        }
    }

    /// Learns from another object at the same place; false where it contradicts an earlier one.
    /// Half of a contradicting object may have been taken in: the shape is of no use then.
    mutating func absorb(_ object: ResourceDocument.Object, in document: MappedDocument, depth: Int = 0) -> Bool {
        guard hasSameMembers(as: object) else { return false }
        attributes.note(object.attributeNames)
        for relation in document.relations(of: object) {
            guard let index = relations.firstIndex(where: { $0.name == relation.name }),
                relations[index].absorb(relation, in: document, depth: depth + 1)
            else { return false }
        }
        return true
    }

    /// Whether `object` looks as the origin would have sent it at this place.
    func describes(_ object: ResourceDocument.Object, in document: MappedDocument) -> Bool {
        guard hasSameMembers(as: object), showsAttributes(of: object) else { return false }
        for relation in document.relations(of: object) {
            guard let index = relations.firstIndex(where: { $0.name == relation.name }),
                relations[index].describes(relation, in: document)
            else { return false }
        }
        return true
    }

    /// Whether a resource at this place was seen with the attributes that the object has, and no
    /// others.
    func showsAttributes(of object: ResourceDocument.Object) -> Bool {
        attributes.contains(object.attributeNames)
    }

    /// Whether it is what `object` shows without its relationships and views.
    func isOf(_ object: ResourceDocument.Object) -> Bool {
        showsAttributes(of: object) && hasAttributes && !hasRelationships && !hasViews && otherMembers == 0
            && !object.attributes.isEmpty
            && hasHref != object.href.isEmpty
    }

    subscript(_ name: UInt64) -> RelationShape? { relations.first { $0.name == name } }

    /// The shape with other relationships and views.
    func with(_ relations: [RelationShape]) -> ObjectShape {
        var shape = self
        shape.relations = relations
        shape.hasRelationships = relations.contains { !$0.isView }
        shape.hasViews = relations.contains { $0.isView }
        return shape
    }

    /// Whether both show the same, their relationships apart.
    func hasSameMembers(as other: ObjectShape) -> Bool {
        hasHref == other.hasHref && hasAttributes == other.hasAttributes && otherMembers == other.otherMembers
    }

    /// Whether both show the same, as far as was seen of the elements of their relationships.
    func isSameForm(as other: ObjectShape) -> Bool {
        hasSameMembers(as: other) && hasRelationships == other.hasRelationships && hasViews == other.hasViews
            && relations.count == other.relations.count
            && relations.allSatisfy { relation in other[relation.name].map(relation.isSameForm) ?? false }
    }

    /// The part that the other was seen to show too; nil where that shows something else, or
    /// nothing of it.
    func confirmed(by other: ObjectShape) -> ObjectShape? { combined(with: other, RelationShape.confirmed) }

    /// Everything that either has shown; nil where they contradict each other.
    func merged(with other: ObjectShape) -> ObjectShape? {
        combined(with: other, RelationShape.merged)?.mergedAttributes(of: [other])
    }

    /// The part that both have shown; nil where they contradict each other.
    func agreed(with other: ObjectShape) -> ObjectShape? {
        combined(with: other, RelationShape.agreed)?.agreedAttributes(with: other)
    }

    /// The shape with relationships that are made of those of both; nil where the members differ,
    /// or nothing is made of one.
    private func combined(
        with other: ObjectShape, _ combine: (RelationShape) -> (RelationShape) -> RelationShape?
    ) -> ObjectShape? {
        guard hasSameMembers(as: other), relations.count == other.relations.count else { return nil }
        var shape = self
        for index in relations.indices {
            guard let both = other[relations[index].name].flatMap(combine(relations[index])) else { return nil }
            shape.relations[index] = both
        }
        return shape
    }

    /// With the attributes of all others that have the same members.
    func mergedAttributes(of others: some Sequence<ObjectShape>) -> ObjectShape {
        var shape = self
        for other in others where hasSameMembers(as: other) { shape.attributes.merge(other.attributes) }
        return shape
    }

    /// With the attributes that the other has shown too.
    func agreedAttributes(with other: ObjectShape) -> ObjectShape {
        var shape = self
        shape.attributes.formIntersection(other.attributes)
        return shape
    }

    private func hasSameMembers(as object: ResourceDocument.Object) -> Bool {
        hasHref != object.href.isEmpty && hasAttributes != object.attributes.isEmpty
            && hasRelationships == object.hasRelationships && hasViews == object.hasViews
            && otherMembers == object.otherMembers
            && relations.count == Int(object.endRelation - object.firstRelation)
    }
}

/// The combinations of attributes that resources at one place were seen with: at another place, or
/// in another form, the same resource may have others.
struct AttributeCombinations: Sendable, Equatable {
    /// Sums by `ResourceDocument.Object.attributeNames`, the first seen first.
    private var seen: [UInt64] = []
    /// The most at one place, above what was recorded; resources beyond are not composed there.
    static let most = 64

    mutating func note(_ names: UInt64) {
        if seen.count < Self.most, !seen.contains(names) { seen.append(names) }
    }

    func contains(_ names: UInt64) -> Bool { seen.contains(names) }

    mutating func merge(_ other: AttributeCombinations) {
        for names in other.seen { note(names) }
    }

    mutating func formIntersection(_ other: AttributeCombinations) { seen.removeAll { !other.contains($0) } }
}

/// The shape of one relationship or view: the members around its elements, and their own shape
/// by type.
struct RelationShape: Sendable, Equatable {
    /// See `ResourceDocument.Relation`.
    let name: UInt64
    let isView: Bool
    let otherMembers: UInt64
    let hasData: Bool
    private(set) var size: ListSize
    /// The parameters in the `next` of lists that go on (`MappedDocument.parameters`).
    private var parameters: UInt64?
    private(set) var elements: ElementShapes

    init?(_ relation: ResourceDocument.Relation, in document: MappedDocument, depth: Int) {
        (name, isView) = (relation.name, relation.isView)
        otherMembers = relation.otherMembers
        hasData = !relation.data.isEmpty
        size = ListSize()
        elements = ElementShapes()
        guard absorb(relation, in: document, depth: depth) else { return nil }
    }

    mutating func absorb(_ relation: ResourceDocument.Relation, in document: MappedDocument, depth: Int) -> Bool {
        guard hasSameMembers(as: relation) else { return false }
        var count = 0
        for element in document.elements(of: relation) {
            count += 1
            guard elements.absorb(element, in: document, depth: depth) else { return false }
        }
        if relation.next.isEmpty { return size.noteWhole(count) }
        let link = document.parameters(in: relation.next)
        parameters = parameters ?? link
        return parameters == link && size.note(count, next: document.offset(in: relation.next))
    }

    func describes(_ relation: ResourceDocument.Relation, in document: MappedDocument) -> Bool {
        guard hasSameMembers(as: relation) else { return false }
        var count = 0
        for element in document.elements(of: relation) {
            count += 1
            guard elements.describes(element, in: document) else { return false }
        }
        return fits(relation, count, in: document)
    }

    /// Whether the list would be cut here as it is there. A longer one than any that was seen here
    /// might be cut here: no documented limit says otherwise of this form.
    func fits(_ relation: ResourceDocument.Relation, in document: MappedDocument) -> Bool {
        fits(relation, document.elements(of: relation).count, in: document)
    }

    private func fits(_ relation: ResourceDocument.Relation, _ count: Int, in document: MappedDocument) -> Bool {
        if relation.next.isEmpty { return size.holdsWhole(count) }
        return parameters == document.parameters(in: relation.next)
            && size.holds(count, next: document.offset(in: relation.next))
    }

    /// Whether lists of this shape can be made into lists of another: with elements that are known
    /// to be no less.
    func offers(_ other: RelationShape) -> Bool {
        otherMembers == other.otherMembers && hasData == other.hasData && size.isCompatible(with: other.size)
            && other.elements.areIdentifiers
    }

    func hasSameMembers(as relation: ResourceDocument.Relation) -> Bool {
        otherMembers == relation.otherMembers && hasData != relation.data.isEmpty
    }

    /// The placement of its elements.
    var placement: Placement { isView ? .viewed : .included }

    /// Whether both show the same, however long the lists are.
    func isSameForm(as other: RelationShape) -> Bool {
        otherMembers == other.otherMembers && hasData == other.hasData && elements.isSameForm(as: other.elements)
            && size.isCompatible(with: other.size)
            && (parameters ?? other.parameters) == (other.parameters ?? parameters)
    }

    /// The part of the relationship that the other was seen to show too; nil where that shows
    /// something else.
    func confirmed(by other: RelationShape) -> RelationShape? {
        guard isSameForm(as: other), let elements = elements.confirmed(by: other.elements) else { return nil }
        var shape = self
        shape.elements = elements
        return shape
    }

    /// The part of the relationship that both have shown; nil where they contradict each other.
    func agreed(with other: RelationShape) -> RelationShape? {
        guard isSameForm(as: other), let elements = elements.agreed(with: other.elements) else { return nil }
        var shape = self
        (shape.size, shape.elements) = (size.agreed(with: other.size), elements)
        shape.parameters = parameters == other.parameters ? parameters : nil
        return shape
    }

    /// Everything of the relationship that either has shown; nil where they contradict each other.
    func merged(with other: RelationShape) -> RelationShape? {
        guard isSameForm(as: other), let size = size.merged(with: other.size),
            let elements = elements.merged(with: other.elements)
        else { return nil }
        var shape = self
        (shape.size, shape.elements, shape.parameters) = (size, elements, parameters ?? other.parameters)
        return shape
    }
}

/// The shapes of the elements of one list, by type; lists may be mixed (playlist tracks are songs
/// and music videos).
struct ElementShapes: Sendable, Equatable {
    private var types: [ResourceClass] = []
    private var shapes: [ObjectShape] = []

    init() {}

    init(_ type: ResourceClass, _ shape: ObjectShape) { (types, shapes) = ([type], [shape]) }

    subscript(_ type: ResourceClass?) -> ObjectShape? {
        guard let type, let index = types.firstIndex(of: type) else { return nil }
        return shapes[index]
    }

    /// False for a contradiction, and for a type that nothing is known of.
    mutating func absorb(_ object: ResourceDocument.Object, in document: MappedDocument, depth: Int) -> Bool {
        guard let type = object.type else { return false }
        if let index = types.firstIndex(of: type) { return shapes[index].absorb(object, in: document, depth: depth) }
        guard let shape = ObjectShape(object, in: document, depth: depth) else { return false }
        types.append(type)
        shapes.append(shape)
        return true
    }

    /// Whether nothing but identifiers was seen.
    var areIdentifiers: Bool { shapes.allSatisfy(\.isIdentifier) }

    /// The shapes that have attributes.
    var resources: [(type: ResourceClass, shape: ObjectShape)] {
        zip(types, shapes).filter { $1.hasAttributes }.map { ($0, $1) }
    }

    /// Whether elements of each type that was seen in both show the same.
    func isSameForm(as other: ElementShapes) -> Bool {
        zip(types, shapes).allSatisfy { type, shape in other[type].map(shape.isSameForm) ?? true }
    }

    /// The types that both were seen to show; nil where there is none, but some are shown here.
    func confirmed(by other: ElementShapes) -> ElementShapes? {
        guard let confirmed = common(with: other, ObjectShape.confirmed) else { return nil }
        return confirmed.types.isEmpty && !types.isEmpty ? nil : confirmed
    }

    /// The types that both have shown, as far as both have; nil where they contradict each other.
    func agreed(with other: ElementShapes) -> ElementShapes? { common(with: other, ObjectShape.agreed) }

    /// The types that both have, with shapes that are made of those of both; nil where nothing is
    /// made of one.
    private func common(
        with other: ElementShapes, _ combine: (ObjectShape) -> (ObjectShape) -> ObjectShape?
    ) -> ElementShapes? {
        var common = ElementShapes()
        for (type, shape) in zip(types, shapes) {
            guard let same = other[type] else { continue }
            guard let both = combine(shape)(same) else { return nil }
            common.types.append(type)
            common.shapes.append(both)
        }
        return common
    }

    /// The types that either has shown, with everything; nil where they contradict each other.
    func merged(with other: ElementShapes) -> ElementShapes? {
        var merged = self
        for (type, shape) in zip(other.types, other.shapes) {
            if let index = types.firstIndex(of: type) {
                guard let both = shapes[index].merged(with: shape) else { return nil }
                merged.shapes[index] = both
            } else {
                merged.types.append(type)
                merged.shapes.append(shape)
            }
        }
        return merged
    }

    func describes(_ object: ResourceDocument.Object, in document: MappedDocument) -> Bool {
        guard let type = object.type, let index = types.firstIndex(of: type) else { return false }
        return shapes[index].describes(object, in: document)
    }
}
