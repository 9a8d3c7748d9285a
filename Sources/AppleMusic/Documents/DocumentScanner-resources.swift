import Text

// Gives the values of a text their meaning in its document: which become resources and relations,
// and which make it no document.
//
// Must hold: a resource is put into `objects` as it opens and has all its ranges once it is closed;
// whatever a ``ResourceDocument`` promises is checked here or the text is refused.

extension DocumentScanner {
    /// The role of an object that is the current member's value.
    @inline(__always)
    func roleOfObject() -> FrameRole? {
        switch (current.role, current.member) {
        case (.outside, _): .top
        case (.primary, _), (.related, _), (.loose, _): .resource
        case (.relationships, _), (.views, _): .relation
        case (.resource, .attributes): .attributes
        case (.resource, .relationships): .relationships
        case (.resource, .id), (.resource, .type), (.resource, .href): nil
        case (.relation, .href), (.relation, .data), (.relation, .next): nil
        case (.top, .data), (.top, .next): nil
        case (.found, .attributes), (.found, .meta): .opaque
        case (.resource, .views): .views
        case (.top, .results), (.top, .views), (.found, _): .found
        default: .opaque
        }
    }

    /// The role of an array that is the current member's value.
    @inline(__always)
    func roleOfArray() -> FrameRole? {
        switch (current.role, current.member) {
        case (.outside, _), (.primary, _), (.related, _), (.loose, _), (.relationships, _), (.views, _): nil
        case (.resource, .attributes), (.resource, .relationships): nil
        case (.resource, .id), (.resource, .type), (.resource, .href): nil
        case (.relation, .href), (.relation, .next), (.top, .next): nil
        case (.top, .data): .primary
        case (.relation, .data): .related
        case (.found, .data): .loose
        case (.found, .attributes), (.found, .meta): .opaque
        case (.top, .results), (.top, .views), (.resource, .views), (.found, _): .found
        default: .opaque
        }
    }

    /// The value of a member that means something is a string.
    @inline(__always)
    mutating func take(_ text: StringToken) {
        switch (current.member, current.role) {
        case (.id, .relationships), (.type, .relationships), (.relation, _), (.element, _): refuse()
        case (.id, .views), (.type, .views): refuse()
        case (.id, _): current.id = text
        case (.type, _): current.type = text
        case (.href, .resource): objects[Int(current.index)].href = text.whole
        case (.attributes, .resource), (.relationships, _): refuse()
        case (.data, .top), (.results, .top):
            content.isMisshapen = true
            refuse()
        case (.data, .relation): refuse()
        case (.next, .relation) where !text.isEscaped: pending[Int(current.index)].next = text.whole
        case (.next, .top) where !text.isEscaped: envelope.next = text.whole
        case (.next, _): refuse()
        default: break
        }
    }

    /// The value of a member that means something is a number, true, false or null.
    @inline(__always)
    mutating func takeScalar() {
        switch current.member {
        case .id: current.id = StringToken()
        case .type: current.type = StringToken()
        default: break
        }
        switch (current.role, current.member) {
        case (.primary, _), (.related, _), (.loose, _), (.relationships, _), (.views, _): refuse()
        case (.resource, .views), (.relation, .id), (.relation, .type): break
        case (.top, .data), (.top, .results):
            content.isMisshapen = true
            refuse()
        case (.resource, _), (.relation, _), (.top, .next): refuse()
        default: break
        }
    }

    /// The current array or object has been opened; its index is that of the one around it.
    @inline(__always)
    mutating func begin() {
        switch current.role {
        case .primary, .related, .loose: current.first = UInt32(objects.count)
        case .views: current.first = UInt32(pending.count)
        case .resource:
            guard !objects.isFull else { return refuse() }
            current.index = UInt32(objects.count)
            current.first = UInt32(pending.count)
            objects.push(ResourceDocument.Object(index: current.index))
        case .relation:
            guard relations.count + pending.count < ResourceDocument.maxRelations else { return refuse() }
            current.index = UInt32(pending.count)
            pending.push(ResourceDocument.Relation(name: nameNumber, spelling: name.whole))
        default: break
        }
    }

    /// The current array or object, which means something, ends before `end`.
    @inline(__always)
    mutating func finish(_ bytes: Span<UInt8>, end: Int) {
        let whole = ByteSpan(Int(current.start), end)
        let index = Int(current.index)
        switch current.role {
        case .top: envelope.otherMembers = current.nameSum
        case .primary:
            envelope.data = whole
            envelope.firstElement = current.first
            envelope.endElement = UInt32(objects.count)
        case .related:
            pending[index].data = whole
            pending[index].firstElement = current.first
            pending[index].endElement = UInt32(objects.count)
        case .attributes:
            objects[index].attributes = whole
            objects[index].attributeNames = current.nameSum
            objects[index].attributeSum = UInt32(
                truncatingIfNeeded: Checksum.brief(bytes.extracting(whole.range)))
        case .relation:
            pending[index].whole = whole
            pending[index].otherMembers = current.nameSum
        case .relationships: objects[index].hasRelationships = true
        case .views: finishViews()
        case .resource: finishResource(whole)
        case .opaque, .outside, .loose, .found: break
        }
    }

    @inline(__always)
    private mutating func finishResource(_ whole: ByteSpan) {
        let (id, type) = (current.id, current.type)
        guard id.isPresent, !id.isEmpty, !id.isEscaped, type.isPresent, !type.isEmpty, !type.isEscaped else {
            return refuse()
        }
        if objects[Int(current.index)].hasRelationships || objects[Int(current.index)].hasViews { settleRelations() }
        // By now the last type and number are its own.
        objects[Int(current.index)].finish(
            number: resourceNumber, type: lastType.type, whole, id: id, typeName: type,
            otherMembers: current.nameSum, end: objects.count)
    }

    /// The relations since the object opened are views, whose names are numbers of their own.
    private mutating func finishViews() {
        objects[Int(current.index)].hasViews = true
        for index in Int(current.first)..<pending.count {
            pending[index].name = ~pending[index].name
            pending[index].isView = true
        }
        // It is a member of its own, and no other.
        outer[outer.count - 1].nameSum &-= ResourceDocument.viewsNumber
    }

    /// Places the relations of a resource once all are known; their elements learn of them.
    private mutating func settleRelations() {
        let owner = Int(current.index)
        objects[owner].firstRelation = UInt32(relations.count)
        for index in Int(current.first)..<pending.count {
            let relation = pending[index]
            var element = relation.firstElement
            while element < relation.endElement {
                objects[Int(element)].parent = Int32(relations.count)
                element = objects[Int(element)].end
            }
            relations.push(relation)
        }
        objects[owner].endRelation = UInt32(relations.count)
        pending.shrink(to: Int(current.first))
    }
}

extension ResourceDocument.Object {
    fileprivate mutating func finish(
        number: UInt64, type: ResourceClass?, _ whole: ByteSpan, id: StringToken, typeName: StringToken,
        otherMembers: UInt64,
        end: Int
    ) {
        (self.number, self.type, self.whole) = (number, type, whole)
        self.id = id.whole
        self.typeName = typeName.whole
        self.otherMembers = otherMembers
        self.end = UInt32(end)
    }
}
