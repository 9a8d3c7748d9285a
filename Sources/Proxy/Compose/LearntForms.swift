import AppleMusic
import Synchronization

/// What all loops have learnt of the forms in which the origin answers.
///
/// Its lock is taken where an answer comes from the origin, and where one is to be composed; never
/// to look a stored answer up.
final class LearntForms: Sendable {
    fileprivate struct State {
        var forms: [CatalogRequest.Form: Entry] = [:]
        var agreements: [ResourceClass: RoleAgreement] = [:]
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
        guard request.form.decoration.count <= Self.maxDecoration else { return true }
        let entry: Entry? = state.withLock { $0.forms[request.form] }
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
            if state.forms[request.form] == nil { state.makeRoom() }
            state.forms[request.form] = learnt
        }
        return fits
    }

    /// What is known of a form; nil where nothing is, or not any more.
    func record(_ form: CatalogRequest.Form, at now: Int64) -> FormRecord? {
        state.withLock { state in
            guard case .known(let known) = state.forms[form], known.record.isFresh(at: now) else { return nil }
            return known.record
        }
    }

    /// An answer built in this form was not what the origin said.
    func switchOff(_ form: CatalogRequest.Form, until: Int64) {
        state.withLock { state in
            state.forms[form] = .rests(until: until)
        }
    }

    /// The same resource was seen in two roles; false where that contradicts what was known.
    func note(_ type: ResourceClass, _ one: Role, _ other: Role, isEqual: Bool) -> Bool {
        state.withLock { state in
            state.agreements[type, default: RoleAgreement()].note(one, other, isEqual: isEqual)
        }
    }

    /// Whether a resource in the one role shows what it shows in the other.
    func agreement(_ type: ResourceClass) -> RoleAgreement {
        state.withLock { $0.agreements[type] ?? RoleAgreement() }
    }

    /// How many forms rest now.
    func resting(at now: Int64) -> Int {
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
