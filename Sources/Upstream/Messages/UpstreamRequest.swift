import HTTP

/// A request as it goes to the origin: built from parsed parts by the proxy, never copied from a
/// client.
public struct UpstreamRequest: Sendable {
    /// Decides how the answer ends and whether the request may be repeated.
    public let method: Method
    /// The complete serialised head with its empty line. It holds secrets: it is never printed.
    public let head: [UInt8]
    /// The content, as many bytes as the head says.
    public let body: [UInt8]

    /// Takes the pieces as they are; nothing is checked.
    public init(method: Method, head: [UInt8], body: [UInt8] = []) {
        (self.method, self.head, self.body) = (method, head, body)
    }
}

extension UpstreamRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The method and the sizes, nothing else.
    public var description: String { "\(method) request, \(head.count) + \(body.count) bytes" }
    /// The text of `description`.
    public var debugDescription: String { description }
    /// Nothing inside can be reached by a dump.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
