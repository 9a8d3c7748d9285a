import AppleMusic
import Cache
import Synchronization
import Text

/// Which resources and pages fresh stored answers name: a "not found" for one of these contradicts
/// a stored answer.
///
/// A hint: numbers with the second at which the answer that named them stops being fresh. An answer
/// may be evicted earlier, and a number gives way where there is no room for it. A purge takes the
/// names of the answers that it finds in memory. Those of an answer that is in the file alone
/// outlive it until they run out, which does little harm: a "not found" that lasts for `patience`
/// is no error of a moment, and counts more than the name until another answer has that.
final class HeldNames: Sendable {
    /// A resource or page, and one answer that names it.
    private struct Slot {
        /// The lower half of the name's number; the upper one says where it is.
        var name: UInt32 = 0
        /// The answer that names it, as a number.
        var namer: UInt32 = 0
        /// Unix seconds; 0: the slot is free.
        var until: UInt32 = 0
        /// The unix second of the first "not found" since the number was noted; 0: none.
        var missedAt: UInt32 = 0

        init() {}

        init(_ number: UInt64, _ namer: UInt32, until: UInt32) {
            (name, self.namer, self.until) = (UInt32(truncatingIfNeeded: number), namer, until)
        }

        func names(_ number: UInt64) -> Bool { until > 0 && name == UInt32(truncatingIfNeeded: number) }
    }

    private let table = Mutex<[Slot]>([])
    private let bucketCount: Int
    private static let bucketSize = 4
    /// Answers that name the same, those that end last: while one of them is purged, the other
    /// counts.
    private static let mostNamers = 2
    /// Links of one answer that are noted: each costs a microsecond.
    private static let mostLinks = 32

    /// - Parameter maxBytes: taken when the first number is noted.
    init(maxBytes: Int) {
        bucketCount = max(1, maxBytes / (MemoryLayout<Slot>.stride * Self.bucketSize))
    }

    /// Notes what an answer names, for as long as it is fresh.
    func note(_ response: StoredResponse, at now: Int64) {
        let left = response.freshFor - response.age(at: now)
        guard response.status == 200, response.composition == nil, left > 0 else { return }
        let (numbers, namer) = (Self.numbers(in: response), Self.number(of: response))
        let until = UInt32(clamping: now + Int64(left))
        table.withLock { slots in
            if slots.isEmpty { slots = [Slot](repeating: Slot(), count: bucketCount * Self.bucketSize) }
            for number in numbers { put(number, namer, until, into: &slots) }
        }
    }

    /// Notes a "not found" and says whether it contradicts a fresh answer, which names a resource
    /// of the request or the page that its target is; for at most `patience` seconds.
    func contradicts(_ key: CacheKey, _ request: CatalogRequest?, patience: Int, at now: Int64) -> Bool {
        let numbers = numbers(of: key, request)
        return table.withLock { slots in
            guard !slots.isEmpty else { return false }
            var isContradicted = false
            for number in numbers {
                for index in bucket(number)
                where slots[index].names(number) && Int64(slots[index].until) > now {
                    // One in the future was noted while the clock was ahead.
                    if slots[index].missedAt == 0 || Int64(slots[index].missedAt) > now {
                        slots[index].missedAt = UInt32(clamping: now)
                    }
                    if now - Int64(slots[index].missedAt) < Int64(patience) { isContradicted = true }
                }
            }
            return isContradicted
        }
    }

    /// The answer was purged: other answers may name the same.
    func forget(_ response: StoredResponse) {
        guard response.status == 200, response.composition == nil, !table.withLock({ $0.isEmpty }) else { return }
        let (numbers, namer) = (Self.numbers(in: response), Self.number(of: response))
        table.withLock { slots in
            guard !slots.isEmpty else { return }
            for number in numbers {
                for index in bucket(number) where slots[index].names(number) && slots[index].namer == namer {
                    slots[index] = Slot()
                }
            }
        }
    }

    /// Everything was purged.
    func forgetAll() {
        table.withLock { $0 = [] }
    }

    private func numbers(of key: CacheKey, _ request: CatalogRequest?) -> [UInt64] {
        var numbers: [UInt64] = []
        if let request, key.scope == .shared, request.shape.subject == .item || request.shape.subject == .batch {
            numbers = request.resources.map { $0.number.inStorefront(request.storefront.bytes) }
        }
        var target = CanonicalTarget()
        if (try? target.parse(key.target.span)) != nil, let page = target.pageNumber {
            numbers.append(Self.number(page, in: key.scope))
        }
        return numbers
    }

    /// Takes the place of the same number by the same answer, else of the one that ends first: of
    /// those with the same number where enough answers have that.
    private func put(_ number: UInt64, _ namer: UInt32, _ until: UInt32, into slots: inout [Slot]) {
        let bucket = bucket(number)
        var (first, namers, isKnown) = (bucket.lowerBound, 0, false)
        var firstOfNumber: Int?
        for index in bucket {
            if slots[index].until < slots[first].until { first = index }
            guard slots[index].names(number) else { continue }
            slots[index].missedAt = 0
            namers += 1
            if slots[index].namer == namer {
                slots[index].until = max(slots[index].until, until)
                isKnown = true
            }
            if firstOfNumber.map({ slots[index].until < slots[$0].until }) ?? true { firstOfNumber = index }
        }
        let place = namers < Self.mostNamers ? first : firstOfNumber ?? first
        guard !isKnown, namers == 0 || slots[place].until < until else { return }
        slots[place] = Slot(number, namer, until: until)
    }

    private func bucket(_ number: UInt64) -> Range<Int> {
        let start = Int(number.multipliedFullWidth(by: UInt64(bucketCount)).high) * Self.bucketSize
        return start..<start + Self.bucketSize
    }

    /// The numbers of the resources and pages that it names.
    private static func numbers(in response: StoredResponse) -> [UInt64] {
        var numbers: [UInt64] = []
        if response.resources != [StoredResponse.everyResource] {
            numbers = response.resources.map { $0.inStorefront(response.storefront) }
        }
        var target = CanonicalTarget()
        let body = response.body.span
        PageLinks.each(in: body, most: mostLinks) { link in
            guard (try? target.parse(body.extracting(link))) != nil, let page = target.pageNumber else { return }
            numbers.append(number(page, in: response.key.scope))
        }
        return numbers
    }

    private static func number(of response: StoredResponse) -> UInt32 {
        UInt32(truncatingIfNeeded: response.key.hashValue)
    }

    private static func number(_ page: UInt64, in scope: CacheKey.Scope) -> UInt64 {
        (page ^ UInt64(bitPattern: Int64(scope.hashValue))) &* 0x9E37_79B9_7F4A_7C15
    }
}

extension HeldNames {
    /// Has purges take the names of the answers that they choose.
    func heed(_ cache: ResponseCache) {
        cache.setOnPurged { [weak self] response in
            if let response { self?.forget(response) } else { self?.forgetAll() }
        }
    }
}

extension ResourceLibrary {
    /// Notes what an answer names that is stored by now, before it is learnt from.
    package func noteNames(in response: StoredResponse, at now: Int64) {
        guard response.key.origin == origin else { return }
        held.note(response, at: now)
        endAbsences(in: response, at: now)
        // A purge may have come before its names.
        if cache.purges.verdict(on: response, since: response.born) != .untouched { held.forget(response) }
    }

    /// Whether a fresh answer names the subject of a "not found" under this key: a resource, or the
    /// page of the target; for `patience` seconds from the first such "not found" on.
    package func contradicts(
        notFound key: CacheKey, _ request: CatalogRequest?, patience: Int, at now: Int64
    ) -> Bool {
        key.origin == origin && held.contradicts(key, request, patience: patience, at: now)
    }

    /// Notes a "not found", kept or not: nothing is made of older answers that show the resource.
    /// - Parameter isBelieved: false for one that may be a passing error; older answers stand in
    ///   for newer ones then as before.
    package func note(
        notFound key: CacheKey, at receivedAt: Int64, _ request: CatalogRequest, isBelieved: Bool = true
    ) {
        guard settings.isActive, key.origin == origin else { return }
        noteAbsence(key, at: receivedAt, request, isBelieved: isBelieved)
    }
}
