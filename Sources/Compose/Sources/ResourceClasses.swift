import AppleMusic

/// Some of the classes of resources: those whose answers others may be made of, which are the
/// classes with an operator's TTL.
public struct ResourceClasses: Sendable, Equatable {
    /// By the class's number.
    private var bits: UInt64 = 0

    /// The classes of which `isMember` is true.
    public init(where isMember: (ResourceClass) -> Bool) {
        for resourceClass in ResourceClass.allCases where isMember(resourceClass) {
            bits |= 1 << UInt64(resourceClass.rawValue)
        }
    }

    /// Whether the class is one of these.
    func contains(_ resourceClass: ResourceClass) -> Bool {
        bits & 1 << UInt64(resourceClass.rawValue) != 0
    }
}
