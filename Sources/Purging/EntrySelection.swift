// The entries that a purge or a listing chooses.

/// Entries chosen by what they answer; all conditions must hold, none means all entries.
///
/// A record that leads to others (`RecordFacts.isListed`) is removed with these, and never counted.
public struct EntrySelection: Sendable, Equatable {
    /// A condition on an entry. A new case does not compile without its meaning in memory and for
    /// answers to come (`holds`) and in the file (`term`), nor without a name in the log of the
    /// shared tier and on disks (`ConditionField`).
    public enum Condition: Sendable, Equatable {
        /// The canonical path and query, exactly. It chooses all variants, no matter who may see
        /// the answer.
        case target([UInt8])
        /// The beginning of the canonical path and query.
        case prefix([UInt8])
        /// A pattern that the canonical path matches, whatever the query.
        case pattern(PathPattern)
        /// Two lower-case letters.
        case storefront([UInt8])
        case classTag(UInt8)
        /// The number of a resource that the content names (`RecordFacts.resources`).
        case resource(UInt64)
    }

    public private(set) var conditions: [Condition]

    /// Without conditions: everything.
    public init(_ conditions: [Condition] = []) { self.conditions = conditions }

    /// Adds a condition that must hold too.
    public mutating func narrow(by condition: Condition) { conditions.append(condition) }

    /// The bytes that its conditions name.
    package var byteCount: Int {
        conditions.reduce(0) { sum, condition in
            switch condition {
            case .target(let bytes), .prefix(let bytes), .storefront(let bytes): sum + bytes.count
            case .pattern(let pattern): sum + pattern.bytes.count
            case .classTag, .resource: sum
            }
        }
    }

    /// Whether it is among the chosen.
    public func chooses(_ answer: some Selectable) -> Bool { conditions.allSatisfy { $0.holds(for: answer) } }
}

/// An answer as conditions see it: a stored one, or one that the origin may give.
public protocol Selectable {
    associatedtype Target: Collection<UInt8>
    var storefront: [UInt8] { get }
    /// Whether the test holds for a target that it answers, or one of its parts does.
    func answers(_ test: (Target) -> Bool) -> Bool
    func mayBeOfClass(_ tag: UInt8) -> Bool
    func mayName(_ resource: UInt64) -> Bool
    /// The numbers of the resources that its content names; nil where it may name any.
    var named: [UInt64]? { get }
}

extension EntrySelection.Condition {
    func holds(for answer: some Selectable) -> Bool {
        switch self {
        case .target(let target): answer.answers { $0.elementsEqual(target) }
        case .prefix(let prefix): answer.answers { $0.starts(with: prefix) }
        case .pattern(let pattern): answer.answers { pattern.matches($0) }
        case .storefront(let storefront): answer.storefront == storefront
        case .classTag(let tag): answer.mayBeOfClass(tag)
        case .resource(let resource): answer.mayName(resource)
        }
    }
}
