import Synchronization

/// The purges of a cache, for all of its loops. A thread that asks waits for no more than another
/// look at the list; as long as nothing was purged since, for nothing.
public final class Purges: Sendable {
    private let list = Mutex(PurgeList())
    private let newestNumber = Atomic<Int64>(0)
    private let log: @Sendable (String) -> Void

    /// - Parameter log: gets a line where purges had to be forgotten.
    public init(log: @escaping @Sendable (String) -> Void = { _ in }) { self.log = log }

    /// The number of the latest purge: whatever is fetched from now on is born under it.
    public var newest: Int64 { newestNumber.load(ordering: .sequentiallyConsistent) }

    /// How many are remembered.
    public var count: Int { list.withLock { $0.count } }

    /// Whatever was born before that number counts as chosen.
    public var forgotten: Int64 { list.withLock { $0.forgotten } }

    /// Notes a purge that begins now. From then on its verdict holds; nothing is born under its
    /// number before `body` has ended.
    @discardableResult
    public func note(
        _ selection: EntrySelection, _ mode: PurgeMode, _ body: (PurgeList.Entry) -> Void = { _ in }
    ) -> PurgeList.Entry {
        change { list in
            let entry = list.note(selection, mode)
            body(entry)
            return entry
        }
    }

    /// The number of such a purge, which was done here or is noted now.
    public func noteIfUnknown(
        _ selection: EntrySelection, _ mode: PurgeMode, _ body: (PurgeList.Entry) -> Void = { _ in }
    ) -> Int64 {
        change { list in
            if let number = list.number(of: selection) { return number }
            let entry = list.note(selection, mode)
            body(entry)
            return entry.number
        }
    }

    /// Takes over the purges of a file (`PurgeList.restore`).
    /// - Returns: those that the file lacks.
    public func restore(_ known: [PurgeList.Entry], forgotten: Int64) -> [PurgeList.Entry] {
        change { $0.restore(known, forgotten: forgotten) }
    }

    /// The verdict on an answer whose fetch began under the number `born`.
    public func verdict(on answer: some Selectable, since born: Int64) -> PurgeVerdict {
        born == newest ? .untouched : list.withLock { $0.verdict(on: answer, since: born) }
    }

    /// The number of the last purge that is known to choose whatever answers such a request
    /// (`PurgeList.lastPurge`).
    public func lastPurge(
        of target: @autoclosure () -> [UInt8], storefront: @autoclosure () -> [UInt8], classTag: UInt8,
        resources: @autoclosure () -> [UInt64] = []
    ) -> Int64 {
        if newest == 0 { return 0 }
        let (target, storefront, resources) = (target(), storefront(), resources())
        return list.withLock {
            $0.lastPurge(of: target, storefront: storefront, classTag: classTag, resources: resources)
        }
    }

    private func change<Result>(_ body: (inout PurgeList) -> Result) -> Result {
        let (result, isForgetting) = list.withLock { list in
            let forgotten = list.forgotten
            let result = body(&list)
            newestNumber.store(list.newest, ordering: .sequentiallyConsistent)
            return (result, list.forgotten > forgotten)
        }
        if isForgetting {
            log("purges: the oldest are no longer remembered one by one: what was fetched before is combined no more")
        }
        return result
    }
}
