/// Directive and value of each limit, as log lines name it.
public struct LimitNames: Sendable, ExpressibleByDictionaryLiteral {
    private var names = ClientLimit.allCases.map(\.defaultName)

    /// Names without values.
    public init() {}

    public init(dictionaryLiteral elements: (ClientLimit, String)...) {
        for (limit, name) in elements { self[limit] = name }
    }

    public subscript(limit: ClientLimit) -> String {
        get { names[limit.rawValue] }
        set { names[limit.rawValue] = newValue }
    }
}
