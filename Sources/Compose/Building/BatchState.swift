// Which misses wait to be joined into one `ids` request, and when they go. Pure.
// Must hold: a member that was added comes out once, in one batch; a batch has at most as many ids
// as the origin takes; ids that are asked for twice stand in it once.

package struct BatchState<Kind: Hashable, Member> {
    /// Misses that go to the origin together.
    package struct Batch {
        package let kind: Kind
        /// In the order in which they came, each once.
        package private(set) var ids: [[UInt8]] = []
        package private(set) var members: [(id: [UInt8], member: Member)] = []

        fileprivate mutating func add(_ id: [UInt8], _ member: Member) {
            if !ids.contains(id) { ids.append(id) }
            members.append((id, member))
        }

        /// What the origin could not answer at once, in two parts; nil for a single id.
        package func halved() -> (Batch, Batch)? {
            guard ids.count > 1 else { return nil }
            let first = Set(ids.prefix(ids.count / 2))
            var (one, other) = (Batch(kind: kind), Batch(kind: kind))
            for (id, member) in members {
                if first.contains(id) { one.add(id, member) } else { other.add(id, member) }
            }
            return (one, other)
        }
    }

    package enum Action {
        /// Come back with `due` after that time.
        case wake(after: Duration)
        /// A moment for the batch has been asked for already.
        case wait
        /// It is full.
        case send(Batch)
    }

    private var waiting: [Kind: Batch] = [:]

    /// Nothing waits.
    package init() {}

    /// How long the first of a batch waits for others.
    static var window: Duration { .milliseconds(4) }

    /// A miss of one resource; `most` is how many ids one request may have.
    package mutating func add(_ id: [UInt8], of kind: Kind, _ member: Member, most: Int) -> Action {
        let isFirst = waiting[kind] == nil
        waiting[kind, default: Batch(kind: kind)].add(id, member)
        if let batch = waiting[kind], batch.ids.count >= most {
            waiting[kind] = nil
            return .send(batch)
        }
        return isFirst ? .wake(after: Self.window) : .wait
    }

    /// The batch of this kind has waited long enough; nil where it has gone.
    package mutating func due(_ kind: Kind) -> Batch? { waiting.removeValue(forKey: kind) }
}
