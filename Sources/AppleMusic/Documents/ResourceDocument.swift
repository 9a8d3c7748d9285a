// A document of the API as byte ranges: where its resources and their parts are.
// Nothing is converted.
//
// Must hold: every range lies within the body that was scanned, and holds one whole JSON value
// (or, for names, one string with its quotation marks); objects are in the order in which they
// open, each before all that is inside it.

/// The resources of one JSON document of the API (APPLE-MUSIC-API 5), found by one strict pass over
/// its bytes.
///
/// It is made only of trusted material: an object of RFC 8259 in valid UTF-8 (no unpaired surrogate
/// escapes), no deeper than ``JSON/maxDepth``, no object in it with two members of one name or more
/// than 256; at most ``maxObjects`` resources with ``maxRelations``; `data` always an array, and
/// each of its elements a resource with strings `id` and `type` that are neither empty nor escaped;
/// `next` a string without escapes, `href` a string; `attributes`, `relationships` and each of
/// these an object. Of anything else there is no document.
///
/// Resources are the elements of the document's `data`, those of their relationships' and views'
/// `data`, and those of any array called `data` below `results` or `views` at the top. Anything
/// else that looks like one (in `attributes`, `meta`, `included`) is none.
public final class ResourceDocument: Sendable {
    /// A resource object: `{id, type, href?, attributes?, relationships?, views?, ...}`
    /// (APPLE-MUSIC-API 5.2.1).
    public struct Object: Sendable, BitwiseCopyable {
        /// The number of its type and id (``ResourceMention``).
        public internal(set) var number: UInt64 = 0
        /// Nil for a type that is none of the catalog's twelve.
        public internal(set) var type: ResourceClass?
        /// The whole object with its braces.
        public internal(set) var whole = ByteSpan()
        /// Values; strings with their quotation marks.
        public internal(set) var id = ByteSpan()
        public internal(set) var typeName = ByteSpan()
        /// Empty where there is none; it may hold escapes.
        public internal(set) var href = ByteSpan()
        /// The object with its braces; empty where there is none: then it is an identifier.
        public internal(set) var attributes = ByteSpan()
        /// The names of the attributes as one number, in whatever order they come; 0 where there
        /// are none.
        public internal(set) var attributeNames: UInt64 = 0
        /// The low half of a checksum of the bytes of the attributes; 0 where there are none.
        public internal(set) var attributeSum: UInt32 = 0
        /// This object's own index.
        public internal(set) var index: UInt32 = 0
        /// The names of the members besides id, type, href, attributes, relationships and views as
        /// one number; 0 for none.
        public internal(set) var otherMembers: UInt64 = 0
        /// Whether it has the member `relationships`, be it empty.
        public internal(set) var hasRelationships = false
        /// Whether it has the member `views`, be it empty.
        public internal(set) var hasViews = false
        /// Relationships and views, as indices of ``relations``: `firstRelation ..< endRelation`,
        /// in the order in which they come. Those of the elements come before the object's own.
        public internal(set) var firstRelation: UInt32 = 0
        public internal(set) var endRelation: UInt32 = 0
        /// The index after the last object inside it.
        public internal(set) var end: UInt32 = 0
        /// The index of the relation whose element it is; -1 for an element of the document's
        /// `data`, and for those below `results` and `views` at the top, which are no element of
        /// the envelope's.
        public internal(set) var parent: Int32 = -1
    }

    /// A relationship: `"name": {href?, next?, data?, meta?}`, or a view, which may have
    /// `attributes` too.
    public struct Relation: Sendable, BitwiseCopyable {
        /// The number of its name (``nameNumber(_:)``); for a view, with all bits inverted.
        public internal(set) var name: UInt64 = 0
        public internal(set) var isView = false
        /// The name with its quotation marks, as it is spelt.
        public internal(set) var spelling = ByteSpan()
        /// The object with its braces.
        public internal(set) var whole = ByteSpan()
        /// The array with its brackets; empty where there is none.
        public internal(set) var data = ByteSpan()
        /// The string with its quotation marks; empty where there is none.
        public internal(set) var next = ByteSpan()
        /// The names of the members besides data and next as one number, that of `href` among them;
        /// 0 for none.
        public internal(set) var otherMembers: UInt64 = 0
        /// The elements: the objects from `firstElement` on, each followed by the one at its `end`,
        /// up to `endElement`.
        public internal(set) var firstElement: UInt32 = 0
        public internal(set) var endElement: UInt32 = 0
    }

    /// The text around the resources.
    public struct Envelope: Sendable {
        /// The array of the member `data` with its brackets; empty where there is none (search,
        /// charts).
        public internal(set) var data = ByteSpan()
        /// The string of the member `next` with its quotation marks; empty where there is none.
        public internal(set) var next = ByteSpan()
        /// The names of the members besides data and next as one number; 0 for none.
        public internal(set) var otherMembers: UInt64 = 0
        /// The elements of `data`: objects as in ``Relation/firstElement``.
        public internal(set) var firstElement: UInt32 = 0
        public internal(set) var endElement: UInt32 = 0
    }

    static let maxObjects = 4_096
    static let maxRelations = 16_384

    public let envelope: Envelope
    public let objects: [Object]
    public let relations: [Relation]

    init(envelope: Envelope, objects: [Object], relations: [Relation]) {
        (self.envelope, self.objects, self.relations) = (envelope, objects, relations)
    }

    /// Bytes of memory.
    public var byteCount: Int {
        objects.count * MemoryLayout<Object>.stride + relations.count * MemoryLayout<Relation>.stride + 160
    }
}

/// A range of bytes in a body of at most 4 GiB.
public struct ByteSpan: Sendable, Hashable, BitwiseCopyable {
    public var start: UInt32 = 0
    public var end: UInt32 = 0

    public init() {}

    public init(_ start: Int, _ end: Int) {
        self.start = UInt32(start)
        self.end = UInt32(end)
    }

    public var isEmpty: Bool { start == end }
    public var count: Int { Int(end - start) }
    public var range: Range<Int> { Int(start)..<Int(end) }
    /// Range of a string, which is not empty, between its quotation marks.
    public var unquoted: Range<Int> { Int(start) + 1..<Int(end) - 1 }
}
