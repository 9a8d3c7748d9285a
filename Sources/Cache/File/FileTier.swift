import Freshness
import Glibc
import HTTP
import Purging
import Store
import Synchronization

// The file as a tier of answers: `RecordStore` keeps them as bytes.
// Must hold: personal and composed answers never reach the file; no call made by a loop waits for
// the disk.

/// Shared answers on disk, bounded in bytes.
public final class FileTier: Sendable {
    public let records: RecordStore
    let purges: Purges
    /// Inflates answers that the file has in gzip; without it they are not found.
    private let gzip: Gzip
    /// The origin, to which fields that an older version has stored may refer.
    private let site: SiteAddress?
    let useInterval: UseInterval

    private init(_ records: RecordStore, _ purges: Purges, gzip: Gzip, site: SiteAddress?) {
        (self.records, self.purges, self.gzip, self.site) = (records, purges, gzip, site)
        useInterval = records.useInterval
    }

    /// Opens or makes the file at `path`, as `RecordStore.open` says.
    /// - Parameters:
    ///   - site: of the origin whose answers an older version has stored.
    ///   - origin: the present upstream, to which the answers belong that an older version has
    ///     stored.
    public static func open(
        path: String, maxBytes: Int, classNames: [String] = [], gzip: Gzip = .system, site: SiteAddress? = nil,
        origin: Origin = .none, isTemporary: Bool = false, lock: StoreLock? = nil,
        unixSeconds: @escaping @Sendable () -> Int64 = { @Sendable in Int64(time(nil)) },
        log: @escaping @Sendable (String) -> Void
    ) -> FileTier {
        let purges = Purges(log: log)
        let records = RecordStore.open(
            path: path, maxBytes: maxBytes, classNames: classNames,
            owner: FileOwner(purges: purges, gzip: gzip), origin: origin, isTemporary: isTemporary, lock: lock,
            unixSeconds: unixSeconds, log: log)
        // The store has an owner, which has the purges.
        purges.keep { [weak records] change in records?.add(StoreMark(change)) }
        return FileTier(records, purges, gzip: gzip, site: site)
    }

    /// A reader for one loop.
    public func makeReader() -> FileReader { FileReader(records.makeReader(), self) }

    /// Queues `response` in place of the record of its key; personal and composed ones are left
    /// out. `reader` is the caller's, where it has looked for the key.
    public func store(_ response: StoredResponse, _ reader: FileReader? = nil) {
        guard !response.key.isPersonal, response.composition == nil else { return }
        records.store(response.record, reader?.index(of: response.key) ?? response.key.index)
    }

    /// Notes that the entry of `key` was used.
    func touch(_ key: CacheKey, at unixSeconds: Int64) {
        if !key.isPersonal { records.touch(key.index, at: unixSeconds) }
    }

    /// Queues the removal of the entry of `key`, if it was received by `receivedBy` (unix seconds);
    /// by default in any case.
    func remove(_ key: CacheKey, receivedBy: Int64 = .max) {
        if !key.isPersonal { records.remove(key.index, receivedBy: receivedBy) }
    }

    /// Writes down that a form rests until then, in unix seconds: no answers are composed in it for
    /// a while, because a composed one differed from the origin's. Where it cannot be written it is
    /// lost with the process: the code that composes knows of it.
    /// - Parameter target: the canonical one of a request of the form.
    public func storeRest(of target: [UInt8], from origin: OriginTag, until: Int64) {
        records.add(StoreMark(restOf: target, of: origin, until: until))
    }

    /// Calls `body` with each form that rests for an origin, and until when, before answers that
    /// are visited from now on; with none where the file cannot be read. `now` in unix seconds.
    public func visitRests(
        of origin: OriginTag, at now: Int64, _ body: @escaping @Sendable (_ target: [UInt8], _ until: Int64) -> Void
    ) {
        records.visitMarks(.rest) { marks in
            for mark in marks where mark.origin == origin {
                if case .time(let until) = mark.value, until > now { body(mark.key, until) }
            }
        }
    }

    /// Writes down that answers of an origin received before `time`, unix seconds, are outdated for
    /// a number.
    public func storeFloor(of number: UInt64, from origin: OriginTag, at time: Int64) {
        records.add(StoreMark(floorOf: number, of: origin, at: time))
    }

    /// Calls `body` with each number that has a floor, and the floor, before answers that are
    /// visited from now on; with none where the file cannot be read. None is beyond `now`, unix
    /// seconds, by more than a minute.
    public func visitFloors(
        of origin: OriginTag, at now: Int64, _ body: @escaping @Sendable (_ number: UInt64, _ time: Int64) -> Void
    ) {
        records.visitMarks(.floor) { marks in
            for mark in marks where mark.origin == origin {
                guard let number = mark.number, case .time(let time) = mark.value else { continue }
                body(number, time > now + ClockStep.adjustment ? now : time)
            }
        }
    }

    /// Goes through the answers in the file, as `RecordStore.visit` says.
    func visit(
        _ body: @escaping @Sendable (StoredResponse) -> Bool,
        _ completion: @escaping @Sendable (_ visited: Int) -> Void = { _ in }
    ) {
        records.visit({ @Sendable [self] in restored($0, at: CacheKey($0.key)).map(body) }, completion)
    }

    /// The answer of a record of the file. It is removed where it turns out, now or later, that its
    /// content cannot be inflated.
    fileprivate func restored(_ record: Record, at key: CacheKey) -> StoredResponse? {
        let restored = StoredResponse.restored(record, at: key, by: gzip, from: site) {
            // The digest of the key is worked out where it is needed.
            let (key, receivedAt) = (record.key, record.facts.receivedAt)
            return { [weak records = self.records] in records?.removeDamaged(key.index, receivedBy: receivedAt) }
        }
        switch restored {
        case .response(let response): return response
        case .unreadable: return nil
        case .damaged:
            records.removeDamaged(record.key.index, receivedBy: record.facts.receivedAt)
            return nil
        }
    }
}

/// Looks answers up on disk. For the loop that made it.
public final class FileReader: Sendable {
    private let records: RecordReader
    private let tier: FileTier
    private let recent = Mutex(RecentIndices())

    fileprivate init(_ records: RecordReader, _ tier: FileTier) {
        (self.records, self.tier) = (records, tier)
    }

    /// The stored response of `key`, whatever its freshness; nil where there is none, it is
    /// damaged, or the disk fails. `now` in unix seconds.
    public func lookup(_ key: CacheKey, at now: Int64) -> StoredResponse? {
        guard !key.isPersonal, let record = records.find(RecordKey(key), index(of: key), at: now) else { return nil }
        return tier.restored(record, at: key)
    }

    /// The integer that finds the row of `key`, which it may have looked for a moment ago.
    fileprivate func index(of key: CacheKey) -> Int64 { recent.withLock { $0.index(of: key) } }
}
