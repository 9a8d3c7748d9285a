import AppleMusic
import Synchronization

/// What all loops have learnt of the forms in which the origin answers.
///
/// Its lock is taken where an answer comes from the origin, and where one is to be composed; never
/// to look a stored answer up.
package final class LearntForms: Sendable {
    fileprivate struct State {
        var forms: [RequestShape: Entry] = [:]
        var agreements: [ResourceClass: PlacementAgreement] = [:]
        var growth: [Lists: GrowthLedger] = [:]
    }

    /// The lists of one form in one storefront.
    fileprivate struct Lists: Hashable {
        let shape: RequestShape
        let storefront: Storefront

        init(_ page: ListPage) {
            shape = page.shape
            storefront = page.storefront
        }
    }

    /// In a class, so that looking at one touches no count but its own.
    fileprivate final class Known: Sendable {
        let record: FormRecord
        init(_ record: FormRecord) { self.record = record }
    }

    fileprivate enum Entry {
        case known(Known)
        /// Contradicted: nothing is built in that form before this unix second.
        case rests(until: Int64)
    }

    private let state = Mutex(State())

    /// More forms than apps use; beyond, the one that was not seen for the longest time gives way.
    static let maxForms = 1_024
    /// Forms with more text than apps put into parameters are not learnt: clients choose it. In
    /// bytes.
    static let maxDecoration = 512

    /// Learns from an answer of the origin, fresh for so many seconds; false where it contradicts
    /// what was known. The document is gone through without the lock: of two answers in one form at
    /// the same moment one may be forgotten.
    func observe(_ request: CatalogRequest, _ document: MappedDocument, at now: Int64, freshFor: Int) -> Bool {
        guard request.shape.decoration.count <= Self.maxDecoration else { return true }
        let entry: Entry? = state.withLock { $0.forms[request.shape] }
        var learnt: Entry?
        var fits = true
        switch entry {
        case .rests(let until) where now < until: return true
        case .known(let known) where known.record.isBorneOut(by: document, request, at: now, freshFor: freshFor):
            return true
        case .known(let known) where known.record.isFresh(at: now):
            var record = known.record
            fits = record.absorb(request, document, at: now, freshFor: freshFor)
            learnt = fits ? .known(Known(record)) : .rests(until: now + Int64(freshFor))
        default: learnt = FormRecord(request, document, at: now, freshFor: freshFor).map { .known(Known($0)) }
        }
        state.withLock { state in
            if state.forms[request.shape] == nil { state.makeRoom() }
            state.forms[request.shape] = learnt
        }
        return fits
    }

    /// What is known of a form; nil where nothing is, or not any more.
    package func record(_ shape: RequestShape, at now: Int64) -> FormRecord? {
        state.withLock { state in
            guard case .known(let known) = state.forms[shape], known.record.isFresh(at: now) else { return nil }
            return known.record
        }
    }

    /// Why nothing is known of a form.
    func lack(of shape: RequestShape, at now: Int64) -> Lack.Kind {
        state.withLock { state in
            switch state.forms[shape] {
            case nil: .formNeverSeen
            case .rests(let until): now < until ? .formRests : .formRanOut
            case .known: .formRanOut
            }
        }
    }

    /// An answer built in this form was not what the origin said.
    package func switchOff(_ shape: RequestShape, until: Int64) {
        state.withLock { state in
            state.forms[shape] = .rests(until: until)
        }
    }

    /// The same resource was seen in two placements; false where that contradicts what was known.
    func note(_ type: ResourceClass, _ one: Placement, _ other: Placement, isEqual: Bool) -> Bool {
        state.withLock { state in
            state.agreements[type, default: PlacementAgreement()].note(one, other, isEqual: isEqual)
        }
    }

    /// Whether a resource in the one placement shows what it shows in the other.
    package func agreement(_ type: ResourceClass) -> PlacementAgreement {
        state.withLock { $0.agreements[type] ?? PlacementAgreement() }
    }

    /// Whether a page may be asked for that is larger than what the client wants.
    func mayGrow(_ page: ListPage, at now: Int64) -> Bool {
        state.withLock { $0.growth[Lists(page)]?.mayGrow(at: now) ?? true }
    }

    /// A page that is larger than what a client wants is asked for.
    package func noteGrowth(_ page: ListPage, at now: Int64) {
        state.withLock { state in
            if state.growth.count >= Self.maxForms { state.growth.removeAll() }
            state.growth[Lists(page), default: GrowthLedger()].begin(page, at: now)
        }
    }

    /// A client was answered with a window out of the page.
    package func note(windowOf page: ListPage) {
        state.withLock { $0.growth[Lists(page)]?.note(windowOf: page) }
    }

    /// The origin's answer to a request behind the end of a list; the body without the error's id.
    func note(pastEnd answer: PastEnd, _ request: CatalogRequest) {
        state.withLock { state in
            guard case .known(let known) = state.forms[request.shape] else { return }
            var record = known.record
            record.lists.note(pastEnd: answer, of: request.listNumber ?? 0)
            state.forms[request.shape] = .known(Known(record))
        }
    }

    /// How many forms rest now.
    package func resting(at now: Int64) -> Int {
        state.withLock { state in
            state.forms.values.count { if case .rests(let until) = $0 { now < until } else { false } }
        }
    }
}

extension LearntForms.State {
    fileprivate mutating func makeRoom() {
        guard forms.count >= LearntForms.maxForms else { return }
        let oldest = forms.min { $0.value.age < $1.value.age }
        if let oldest { forms[oldest.key] = nil }
    }
}

extension LearntForms.Entry {
    /// By what the least recent is found.
    fileprivate var age: Int64 {
        switch self {
        case .known(let known): known.record.lastSeen
        case .rests(let until): until
        }
    }
}
