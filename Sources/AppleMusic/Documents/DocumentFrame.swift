// An array or object that the scanner has open, and the members of it that mean something.

/// A string of a body of less than 2 GiB, between its quotation marks. Absent where its end is 0,
/// at which none can end.
struct StringToken: BitwiseCopyable {
    private var start32: UInt32 = 0
    /// The top bit says whether it is escaped.
    private var end32: UInt32 = 0

    init() {}

    @inline(__always)
    init(_ start: Int, _ end: Int, isEscaped: Bool) {
        start32 = UInt32(truncatingIfNeeded: start)
        end32 = UInt32(truncatingIfNeeded: end) | (isEscaped ? 1 << 31 : 0)
    }

    var start: Int { Int(start32) }
    var end: Int { Int(end32 & ~(1 << 31)) }
    var isEscaped: Bool { end32 >= 1 << 31 }
    var isPresent: Bool { end32 != 0 }
    var isEmpty: Bool { start == end }
    /// With the quotation marks.
    var whole: ByteSpan { ByteSpan(start - 1, end + 1) }
}

/// The role of an array or object in a document.
enum FrameRole: UInt8 {
    /// Nothing to the document: attributes of attributes, `meta`, `errors`.
    case opaque
    /// Around the text.
    case outside
    case top
    /// Arrays of resources: the document's `data`, a relationship's, and any other below `results`
    /// and `views`.
    case primary, related, loose
    case resource, attributes, relationships, views, relation
    /// Below `results` and `views`, where resources may lie at any depth.
    case found

    /// The names that mean something in such an object; any other is ``Member/other``.
    private var meant: MemberSet {
        switch self {
        case .opaque, .outside, .attributes, .primary, .related, .loose: [.id, .type]
        case .top: [.id, .type, .data, .next, .results, .views]
        case .resource: [.id, .type, .href, .attributes, .relationships, .views]
        case .relationships, .views: [.id, .type]
        case .relation: [.id, .type, .href, .data, .next]
        case .found: [.id, .type, .attributes, .data, .meta]
        }
    }

    /// The names that are not added up as other members.
    private var standard: MemberSet {
        switch self {
        case .top: [.data, .next]
        case .resource: [.id, .type, .href, .attributes, .relationships]
        case .relation: [.data, .next]
        default: []
        }
    }

    /// Whether names besides `id` and `type` mean something in such an object.
    var knowsMore: Bool {
        @inline(__always) get {
            switch self {
            case .top, .resource, .relation, .found: true
            default: false
            }
        }
    }

    /// Role of the value of a member with a `known` name.
    @inline(__always)
    func member(_ known: Member) -> Member {
        if known != .other, meant.contains(known) { return known }
        return self == .relationships || self == .views ? .relation : .other
    }

    @inline(__always)
    func isStandard(_ known: Member) -> Bool { known != .other && standard.contains(known) }
}

/// The owner of a value.
enum Member: UInt8 {
    case other
    case id, type, href, attributes, relationships, data, next, results, views, meta
    /// Any member of `relationships`, or of a resource's `views`.
    case relation
    /// An element of an array of resources.
    case element
}

/// Some of them; literals of it cost nothing.
struct MemberSet: OptionSet {
    let rawValue: UInt16

    static var id: MemberSet { MemberSet(.id) }
    static var type: MemberSet { MemberSet(.type) }
    static var href: MemberSet { MemberSet(.href) }
    static var attributes: MemberSet { MemberSet(.attributes) }
    static var relationships: MemberSet { MemberSet(.relationships) }
    static var data: MemberSet { MemberSet(.data) }
    static var next: MemberSet { MemberSet(.next) }
    static var results: MemberSet { MemberSet(.results) }
    static var views: MemberSet { MemberSet(.views) }
    static var meta: MemberSet { MemberSet(.meta) }

    init(rawValue: UInt16) { self.rawValue = rawValue }

    @inline(__always)
    init(_ member: Member) { rawValue = 1 &<< UInt16(member.rawValue) }

    @inline(__always)
    func contains(_ member: Member) -> Bool { rawValue & (1 &<< UInt16(member.rawValue)) != 0 }
}

/// An open array or object.
struct Frame: BitwiseCopyable {
    /// An object with more is no part of a document, so that looking for duplicates has a bound.
    static let maxMembers = 256

    var role: FrameRole
    /// The owner of the next value.
    var member: Member
    /// The bracket that ends it.
    let closing: UInt8
    /// Place of its opening bracket.
    let start: UInt32
    /// Index in `names` of the first of this frame's names.
    var firstName: UInt32 = 0
    /// The index of the resource or the pending relation that it is or belongs to; for
    /// `relationships` and `views`, that of the resource.
    var index: UInt32 = 0
    /// Index in `objects` of the first element; for a resource, in `pending` of its first relation.
    var first: UInt32 = 0
    /// A bit for each number of its names.
    var nameBits: UInt64 = 0
    /// The sum of the numbers of those names that no field of the document holds.
    var nameSum: UInt64 = 0
    var type = StringToken()
    var id = StringToken()

    @inline(__always)
    init(role: FrameRole, isObject: Bool, start: Int) {
        self.role = role
        self.start = UInt32(truncatingIfNeeded: start)
        closing = isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")
        switch role {
        case .primary, .related, .loose: member = .element
        default: member = .other
        }
    }

    var isObject: Bool { closing == UInt8(ascii: "}") }
}
