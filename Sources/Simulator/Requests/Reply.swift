// Answer of an endpoint, before the response fields are put around it.

/// A status and a body; an empty body has no `Content-Type`.
struct Reply: Sendable {
    var status = 200
    var body: [UInt8] = []

    init(status: Int = 200, _ json: JSONBytes? = nil) {
        self.status = status
        body = json?.bytes ?? []
    }

    /// An object with these members.
    init(_ members: JSONMembers) {
        var json = JSONBytes(capacity: 256)
        json.object(members)
        body = json.bytes
    }
}
