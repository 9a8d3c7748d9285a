import AppleMusic

// The look of a resource at one place in the answers of one form, as the origin was seen to send
// it: which members, which relationships, and how their elements look in turn. Pure.
// Must hold: a shape grows only by observations; two observations that differ are a contradiction
// and never averaged; a shape is no deeper than `maxDepth`.

/// The shape of resources of one type at one place (APPLE-MUSIC-API 5.3, 6).
struct ObjectShape: Sendable, Equatable {
    private(set) var hasHref: Bool
    private(set) var hasAttributes: Bool
    private(set) var hasRelationships: Bool
    private(set) var hasViews: Bool
    /// As in `ResourceDocument.Object`.
    private(set) var otherMembers: UInt64
    /// Relationships and views.
    private(set) var relations: [RelationShape]

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
        for relation in document.relations(of: object) {
            guard let index = relations.firstIndex(where: { $0.name == relation.name }),
                relations[index].absorb(relation, in: document, depth: depth + 1)
            else { return false }
        }
        return true
    }

    /// Whether `object` looks as the origin would have sent it at this place.
    func describes(_ object: ResourceDocument.Object, in document: MappedDocument) -> Bool {
        guard hasSameMembers(as: object) else { return false }
        for relation in document.relations(of: object) {
            guard let index = relations.firstIndex(where: { $0.name == relation.name }),
                relations[index].describes(relation, in: document)
            else { return false }
        }
        return true
    }

    /// Whether it is what `object` shows without its relationships and views.
    func isOf(_ object: ResourceDocument.Object) -> Bool {
        hasAttributes && !hasRelationships && !hasViews && otherMembers == 0 && !object.attributes.isEmpty
            && hasHref != object.href.isEmpty
    }

    subscript(_ name: UInt64) -> RelationShape? { relations.first { $0.name == name } }

    /// The same with other relationships and views.
    func with(_ relations: [RelationShape]) -> ObjectShape {
        var shape = self
        shape.relations = relations
        shape.hasRelationships = relations.contains { !$0.isView }
        shape.hasViews = relations.contains { $0.isView }
        return shape
    }

    /// No more than what names the resource.
    fileprivate var identifier: ObjectShape {
        var shape = self
        (shape.hasAttributes, shape.hasRelationships, shape.hasViews) = (false, false, false)
        (shape.otherMembers, shape.relations) = (0, [])
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

    private func hasSameMembers(as object: ResourceDocument.Object) -> Bool {
        hasHref != object.href.isEmpty && hasAttributes != object.attributes.isEmpty
            && hasRelationships == object.hasRelationships && hasViews == object.hasViews
            && otherMembers == object.otherMembers
            && relations.count == Int(object.endRelation - object.firstRelation)
    }
}

/// The shape of one relationship or view: the members around its elements, and their own shape
/// by type.
struct RelationShape: Sendable, Equatable {
    /// As in `ResourceDocument.Relation`.
    let name: UInt64
    let isView: Bool
    let otherMembers: UInt64
    let hasData: Bool
    private(set) var size: ListSize
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
        return relation.next.isEmpty
            ? size.noteWhole(count) : size.note(count, next: document.offset(in: relation.next))
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

    /// Whether the list would be cut here as it is there.
    func fits(_ relation: ResourceDocument.Relation, _ count: Int, in document: MappedDocument) -> Bool {
        relation.next.isEmpty
            ? size.holdsWhole(count) : size.holds(count, next: document.offset(in: relation.next))
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
    }

    /// The same list with what names its elements in place of them.
    var ofIdentifiers: RelationShape {
        var shape = self
        shape.elements = elements.identifiers
        return shape
    }
}

/// The shapes of the elements of one list, by type; lists may be mixed (playlist tracks are songs
/// and music videos).
struct ElementShapes: Sendable, Equatable {
    private var types: [ResourceClass] = []
    private var shapes: [ObjectShape] = []

    init() {}

    init(_ type: ResourceClass, _ shape: ObjectShape) {
        (types, shapes) = ([type], [shape])
    }

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

    /// Whether nothing but whole resources was seen.
    var areResources: Bool { shapes.allSatisfy(\.hasAttributes) }

    /// Whether none was seen.
    var isEmpty: Bool { types.isEmpty }

    /// The shapes that have attributes.
    var resources: [(type: ResourceClass, shape: ObjectShape)] {
        zip(types, shapes).filter { $1.hasAttributes }.map { ($0, $1) }
    }

    var identifiers: ElementShapes {
        var elements = self
        elements.shapes = shapes.map(\.identifier)
        return elements
    }

    /// The names of the relationships that they have.
    var relationNames: [UInt64] { shapes.flatMap { $0.relations.map(\.name) } }

    /// Whether elements of each type that was seen in both show the same.
    func isSameForm(as other: ElementShapes) -> Bool {
        zip(types, shapes).allSatisfy { type, shape in other[type].map(shape.isSameForm) ?? true }
    }

    func describes(_ object: ResourceDocument.Object, in document: MappedDocument) -> Bool {
        guard let type = object.type, let index = types.firstIndex(of: type) else { return false }
        return shapes[index].describes(object, in: document)
    }
}
