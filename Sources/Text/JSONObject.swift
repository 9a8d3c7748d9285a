// The members of a JSON object, in the order in which they were written.

/// A JSON object that keeps the order of its members.
///
/// RFC 8259 section 4 lets a key occur twice and leaves the meaning open. All of them are kept in
/// order and written back, so that nothing the origin sent is lost; a look-up by key gives the
/// **last**, as JavaScript, Python and Foundation do for the clients of this API. Look-ups are
/// linear: the API's objects have a few dozen members at most.
public struct JSONObject: Sendable, Equatable {
    /// A key and its value.
    public struct Member: Sendable, Equatable {
        public var key: String
        public var value: JSON

        public init(key: String, value: JSON) {
            (self.key, self.value) = (key, value)
        }
    }

    /// The members in order, those with a repeated key too.
    public var members: [Member] = []

    /// An object without members.
    public init() {}

    /// Keeps order and repeated keys.
    public init(members: [Member]) { self.members = members }

    /// Keeps order and repeated keys.
    public init(_ members: KeyValuePairs<String, JSON>) {
        self.members = members.map { Member(key: $0.key, value: $0.value) }
    }

    public var isEmpty: Bool { members.isEmpty }
    /// How many members there are, repeated keys counted each time.
    public var count: Int { members.count }
    /// The keys in order, repeated ones each time.
    public var keys: [String] { members.map(\.key) }

    /// The value of the last member with this key.
    ///
    /// Keys are the same when their scalars are: Swift's `==` on strings would also equate "é"
    /// written as one scalar with "é" written as two, which are two keys in JSON.
    public subscript(key: String) -> JSON? { members.last { $0.key.utf8.elementsEqual(key.utf8) }?.value }

    /// Adds a member at the end without looking whether its key is there already.
    public mutating func append(_ key: String, _ value: JSON) {
        members.append(Member(key: key, value: value))
    }

    /// The last member of each key, compared by bytes.
    var lastByKey: [[UInt8]: JSON] {
        var result: [[UInt8]: JSON] = [:]
        for member in members { result[Array(member.key.utf8)] = member.value }
        return result
    }
}
