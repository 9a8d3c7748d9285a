/// Actions of one decision, in their order: the first inline, because a decision mostly leads to
/// one at most, and an array would be an allocation for each.
public struct ActionList<Action> {
    @usableFromInline var first: Action?
    /// Empty without a first.
    @usableFromInline var rest: [Action] = []

    /// Holds nothing.
    @inlinable public init() {}

    /// Holds one action.
    @inlinable
    public init(_ only: Action) { first = only }

    /// Holds the actions of a sequence.
    @inlinable
    public init(of actions: some Sequence<Action>) { self += actions }

    /// Adds an action after the others.
    @inlinable
    public mutating func append(_ action: Action) {
        if first == nil { first = action } else { rest.append(action) }
    }

    /// Adds actions after those of the list.
    @inlinable
    public static func += (list: inout Self, others: some Sequence<Action>) {
        for action in others { list.append(action) }
    }

    /// The actions of both lists, without an allocation where one of them is empty.
    @inlinable
    public static func + (list: Self, others: Self) -> Self {
        if others.isEmpty { return list }
        if list.isEmpty { return others }
        var sum = list
        sum += others
        return sum
    }
}

extension ActionList: RandomAccessCollection {
    /// Always 0.
    @inlinable public var startIndex: Int { 0 }
    /// How many actions there are.
    @inlinable public var endIndex: Int { first == nil ? 0 : 1 + rest.count }

    /// The action at `position`, counted from 0.
    @inlinable
    public subscript(position: Int) -> Action {
        if position > 0 { return rest[position - 1] }
        guard let first else { preconditionFailure("an empty list has no first action") }
        return first
    }
}

extension ActionList: ExpressibleByArrayLiteral {
    /// Holds the actions of the literal; an array is made for it.
    public init(arrayLiteral actions: Action...) { self += actions }
}

extension ActionList: Equatable where Action: Equatable {}
extension ActionList: Sendable where Action: Sendable {}
