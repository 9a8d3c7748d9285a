import AppleMusic
import Cache
import Synchronization

// Must hold: a resource counts as absent only while no newer stored answer of its storefront names
// it, in whatever form or language, be it by its id alone.

/// Resources that a storefront was last seen without: batches are composed without them.
///
/// One table for all loops. A place is taken by the resource that was missed last, and one without
/// a place is asked for again, so ids that a client makes up cost requests and no wrong answer. It
/// does not outlive the process.
final class KnownAbsences: Sendable {
    private struct Slot {
        var number: UInt64 = 0
        /// Unix seconds of the first answer without it after the last that named it.
        var since: Int64 = 0
        /// Unix seconds; 0: the slot is free.
        var until: Int64 = 0
    }

    private let table = Mutex<[Slot]>([])
    /// 96 KiB, taken at the first absence.
    static let slotCount = 4_096

    /// Notes resources that an answer was without.
    /// - Parameters:
    ///   - since: unix seconds at which it came.
    ///   - until: unix seconds until which it is fresh.
    func note(_ resources: some Sequence<UInt64>, in storefront: [UInt8], since: Int64, until: Int64) {
        table.withLock { slots in
            if slots.isEmpty { slots = [Slot](repeating: Slot(), count: Self.slotCount) }
            for resource in resources {
                let number = resource.inStorefront(storefront)
                let old = slots[Self.index(number)]
                let first = old.number == number && old.until > 0 ? min(old.since, since) : since
                slots[Self.index(number)] = Slot(number: number, since: first, until: until)
            }
        }
    }

    /// Whether the resource was absent from an answer of that time, unix seconds, on: an absence
    /// that ended meanwhile does not come back with a later one of another kind.
    func holds(_ resource: UInt64, in storefront: [UInt8], asOf time: Int64, at now: Int64) -> Bool {
        let number = resource.inStorefront(storefront)
        return table.withLock { slots in
            guard !slots.isEmpty else { return false }
            let slot = slots[Self.index(number)]
            return slot.number == number && slot.since <= time && now < slot.until
        }
    }

    /// Ends the absence of resources that an answer names, and returns those that were absent.
    func end(_ resources: [UInt64], in storefront: [UInt8]) -> [UInt64] {
        table.withLock { slots in
            guard !slots.isEmpty else { return [] }
            var ended: [UInt64] = []
            for resource in resources {
                let number = resource.inStorefront(storefront)
                guard slots[Self.index(number)].number == number, slots[Self.index(number)].until > 0 else { continue }
                slots[Self.index(number)] = Slot()
                ended.append(resource)
            }
            return ended
        }
    }

    /// Ends all, because an answer may name any resource; false where none counted at `now`, unix
    /// seconds.
    func endAll(at now: Int64) -> Bool {
        table.withLock { slots in
            let hadAny = slots.contains { now < $0.until }
            slots = []
            return hadAny
        }
    }

    /// The place of a number: its upper half is mixed best by the multiplication.
    private static func index(_ number: UInt64) -> Int { Int(number >> 32) & (slotCount - 1) }
}

extension ResourceLibrary {
    /// Notes the resources that a batch lacks. For answers as they come: of those in the file it is
    /// not known what was seen after them.
    func noteAbsences(_ part: StoredSource, _ request: CatalogRequest) {
        guard request.shape.subject == .batch else { return }
        let missing = part.missing(of: request)
        guard !missing.isEmpty else { return }
        absences.note(
            missing.lazy.map(\.number), in: request.storefront.bytes, since: part.response.receivedAt,
            until: part.response.receivedAt + Int64(part.response.freshFor))
    }

    /// Ends the absences of what an answer to everyone names, and drops answers composed of them.
    func endAbsences(in response: StoredResponse, at now: Int64) {
        guard response.status == 200, !response.key.isPersonal, let type = ResourceClass(rawValue: response.classTag),
            classes.contains(type)
        else { return }
        if response.resources == [StoredResponse.everyResource] {
            if absences.endAll(at: now) { cache.freeComposed() }
            return
        }
        let ended = absences.end(response.resources, in: response.storefront)
        guard !ended.isEmpty, let storefront = Storefront(String(decoding: response.storefront, as: UTF8.self)) else {
            return
        }
        cache.noteContradiction()
        for number in ended {
            let sources = index.sources(of: CatalogRequest.absenceNumber(ofResource: number, in: storefront))
            for key in sources.compactMap(\.key) { cache.dropDependents(of: key) }
        }
    }
}

extension StoredSource {
    /// The resources that the request asks for and its answer lacks.
    func missing(of request: CatalogRequest) -> [ResourceName] {
        let found = Set(document.primary.map(\.number))
        return found.count < request.resources.count
            ? request.resources.filter { !found.contains($0.number) } : []
    }

    /// Whether no id that it lacks can be another name of a resource that it shows, in this batch
    /// and not in another one: it found nothing, or was asked for the same and shows nothing else.
    func showsAbsences(in own: CatalogRequest, to request: CatalogRequest) -> Bool {
        foundNothing || own.resources == request.resources && showsOnly(own.resources)
    }

    private func showsOnly(_ names: [ResourceName]) -> Bool {
        let asked = Set(names.map(\.number))
        return document.primary.allSatisfy { asked.contains($0.number) }
    }

    var foundNothing: Bool { document.map.envelope.firstElement >= document.map.envelope.endElement }
}

extension CatalogRequest {
    /// The number under which the index has the answers that were without a resource, whatever
    /// their language and parameters.
    static func absenceNumber(ofResource number: UInt64, in storefront: Storefront) -> UInt64 {
        let bytes = storefront.bytes
        return (number ^ UInt64(bytes[0]) << 8 ^ UInt64(bytes[1]) ^ 0xA5E7) &* 0x9E37_79B9_7F4A_7C15
    }
}
