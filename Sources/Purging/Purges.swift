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

    /// Called with a purge under its number, and with the number up to which purges have just been
    /// forgotten, or 0: for writing both down. It calls nothing of `Purges`.
    public typealias Writing = (_ entry: PurgeList.Entry, _ forgotten: Int64) -> Void

    /// Notes a purge that begins now. From then on its verdict holds; nothing is born under its
    /// number before `write` has ended.
    @discardableResult
    public func note(
        _ selection: EntrySelection, _ mode: PurgeMode, _ write: Writing = { _, _ in }
    ) -> PurgeList.Entry {
        change { note(selection, mode, &$0, write) }
    }

    private func note(
        _ selection: EntrySelection, _ mode: PurgeMode, _ list: inout PurgeList, _ write: Writing
    ) -> PurgeList.Entry {
        let forgotten = list.forgotten
        let entry = list.note(selection, mode)
        write(entry, list.forgotten > forgotten ? list.forgotten : 0)
        return entry
    }

    /// The number of such a purge, which was done here or is noted now.
    public func noteIfUnknown(
        _ selection: EntrySelection, _ mode: PurgeMode, _ write: Writing = { _, _ in }
    ) -> Int64 {
        change { list in
            list.number(of: selection) ?? note(selection, mode, &list, write).number
        }
    }

    /// Takes over the purges of a file (`PurgeList.restore`). `body` is called before: no purge is
    /// noted until the end, so writings that wait can be dropped. It calls nothing of `Purges`.
    /// - Returns: the entries that the file lacks, and up to which number purges are forgotten.
    public func restore(
        _ known: [PurgeList.Entry], forgotten: Int64, _ body: () -> Void = {}
    ) -> (missing: [PurgeList.Entry], forgotten: Int64) {
        change { list in
            body()
            return (list.restore(known, forgotten: forgotten), list.forgotten)
        }
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
