import AppleMusic
import Cache
import Synchronization
import Text

/// Which resources and pages fresh stored answers name: a "not found" for one of these contradicts
/// a stored answer.
///
/// A hint: numbers with the second at which the answer that named them stops being fresh. An answer
/// may be evicted earlier, and a number gives way where there is no room for it. A purge empties
/// the table, because its effect on single numbers is not known. A "not found" that lasts is no
/// error of a moment: then it counts more than the name, until another answer has that.
final class HeldNames: Sendable {
    private struct Slot {
        var number: UInt64 = 0
        /// Unix seconds.
        var until: UInt32 = 0
        /// The unix second of the first "not found" since the number was noted; 0: none.
        var missedAt: UInt32 = 0
    }

    private struct Table {
        var slots: [Slot] = []
        var epoch = 0
    }

    private let table = Mutex(Table())
    private let bucketCount: Int
    private static let bucketSize = 4
    /// Links of one answer that are noted: each costs a microsecond.
    private static let mostLinks = 32

    /// - Parameter maxBytes: taken when the first number is noted.
    init(maxBytes: Int) {
        bucketCount = max(1, maxBytes / (MemoryLayout<Slot>.stride * Self.bucketSize))
    }

    /// Notes what an answer names, for as long as it is fresh.
    /// - Parameter epoch: the cache's count of purges.
    func note(_ response: StoredResponse, epoch: Int, at now: Int64) {
        let left = response.freshFor - response.age(at: now)
        guard response.status == 200, response.composition == nil, left > 0 else { return }
        var numbers: [UInt64] = []
        if response.resources != [StoredResponse.everyResource] {
            numbers = response.resources.map { Self.number($0, in: response.storefront) }
        }
        var target = CanonicalTarget()
        let body = response.body.span
        PageLinks.each(in: body, most: Self.mostLinks) { link in
            guard (try? target.parse(body.extracting(link))) != nil, let page = target.pageNumber else { return }
            numbers.append(Self.number(page, in: response.key.scope))
        }
        let until = UInt32(clamping: now + Int64(left))
        table.withLock { table in
            if table.slots.isEmpty || table.epoch != epoch {
                table.slots = [Slot](repeating: Slot(), count: bucketCount * Self.bucketSize)
            }
            table.epoch = epoch
            for number in numbers { put(number, until, into: &table.slots) }
        }
    }

    /// Notes a "not found" and says whether it contradicts a fresh answer, which names a resource
    /// of the request or the page that its target is; for at most `patience` seconds.
    func contradicts(
        _ key: CacheKey, _ request: CatalogRequest?, patience: Int, epoch: Int, at now: Int64
    ) -> Bool {
        let numbers = numbers(of: key, request)
        return table.withLock { table in
            guard table.epoch == epoch, !table.slots.isEmpty else { return false }
            var isContradicted = false
            for number in numbers {
                for index in bucket(number)
                where table.slots[index].number == number && Int64(table.slots[index].until) > now {
                    // One in the future was noted while the clock was ahead.
                    if table.slots[index].missedAt == 0 || Int64(table.slots[index].missedAt) > now {
                        table.slots[index].missedAt = UInt32(clamping: now)
                    }
                    if now - Int64(table.slots[index].missedAt) < Int64(patience) { isContradicted = true }
                }
            }
            return isContradicted
        }
    }

    /// The origin is another one.
    func forget() {
        table.withLock { $0.slots = [] }
    }

    private func numbers(of key: CacheKey, _ request: CatalogRequest?) -> [UInt64] {
        var numbers: [UInt64] = []
        if let request, key.scope == .shared, request.shape.subject == .item || request.shape.subject == .batch {
            numbers = request.resources.map { Self.number($0.number, in: request.storefront.bytes) }
        }
        var target = CanonicalTarget()
        if (try? target.parse(key.target.span)) != nil, let page = target.pageNumber {
            numbers.append(Self.number(page, in: key.scope))
        }
        return numbers
    }

    /// Takes the place of the same number, else of the one that ends first.
    private func put(_ number: UInt64, _ until: UInt32, into slots: inout [Slot]) {
        let bucket = bucket(number)
        var place = bucket.lowerBound
        for index in bucket {
            if slots[index].number == number {
                slots[index].until = max(slots[index].until, until)
                slots[index].missedAt = 0
                return
            }
            if slots[index].until < slots[place].until { place = index }
        }
        slots[place] = Slot(number: number, until: until)
    }

    private func bucket(_ number: UInt64) -> Range<Int> {
        let start = Int(number.multipliedFullWidth(by: UInt64(bucketCount)).high) * Self.bucketSize
        return start..<start + Self.bucketSize
    }

    private static func number(_ resource: UInt64, in storefront: [UInt8]) -> UInt64 {
        storefront.reduce(resource) { ($0 ^ UInt64($1)) &* 0x9E37_79B9_7F4A_7C15 }
    }

    private static func number(_ page: UInt64, in scope: CacheKey.Scope) -> UInt64 {
        (page ^ UInt64(bitPattern: Int64(scope.hashValue))) &* 0x9E37_79B9_7F4A_7C15
    }
}

extension ResourceLibrary {
    /// Notes what an answer names that is stored by now.
    package func noteNames(in response: StoredResponse, at now: Int64) {
        held.note(response, epoch: Int(cache.purges.newest), at: now)
    }

    /// Whether a fresh answer names the subject of a "not found" under this key: a resource, or the
    /// page of the target; for `patience` seconds from the first such "not found" on.
    package func contradicts(
        notFound key: CacheKey, _ request: CatalogRequest?, patience: Int, at now: Int64
    ) -> Bool {
        held.contradicts(key, request, patience: patience, epoch: Int(cache.purges.newest), at: now)
    }

    /// Another origin is asked from now on.
    package func forgetNames() { held.forget() }

    /// Notes a "not found", kept or not: nothing is made of older answers that show the resource.
    package func note(notFound key: CacheKey, at receivedAt: Int64, _ request: CatalogRequest) {
        if settings.isActive { noteAbsence(key, at: receivedAt, request) }
    }
}
