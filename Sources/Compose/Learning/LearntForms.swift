import AppleMusic
import Store
import Synchronization

/// Forms of the origin's answers, learnt by all loops.
///
/// Its lock is taken for an answer of the origin, and to compose one; never for a hit.
package final class LearntForms: Sendable {
    struct State {
        var forms: [Form: Entry] = [:]
        /// Shapes of wrong answers, in all storefronts and languages: nothing is composed in them
        /// before this unix second.
        var wrong: [RequestShape: Int64] = [:]
        var places: LearntPlaces
        /// Conclusions from other forms, by the form: valid until one of its type changes.
        var concluded: [Form: LearntForms.Concluded] = [:]
        /// Counts changes of how forms look, by their type.
        var changes: [ResourceClass: Int] = [:]
        /// Unix seconds before which no form of a type follows from others.
        var refuted: [ResourceClass: Int64] = [:]
        var batchRefusals = BatchRefusals()
        var tries = FormTries()
        /// The relationships and views that answers of a type have shown, by the numbers of their
        /// names.
        var names: [ResourceClass: Set<UInt64>] = [:]
        /// The latest time at which something was asked, unix seconds.
        var time = Int64.min

        init(_ demand: PlacementDemand) { places = LearntPlaces(demand) }
    }

    /// A class, so a lookup retains one object instead of every array inside.
    final class Known: Sendable {
        let record: FormRecord
        init(_ record: FormRecord) { self.record = record }
    }

    struct Concluded {
        /// The changes of its type that it takes into account.
        let changes: Int
        /// Nil: nothing follows.
        let known: Known?
    }

    enum Entry {
        case known(Known)
        /// Contradicted: nothing is composed in that form before this unix second.
        case rests(until: Int64)
    }

    let state: Mutex<State>
    /// Whether forms may be asked for that no client has asked for.
    let isDocumented: Bool

    init(isDocumented: Bool = false, _ demand: PlacementDemand = PlacementDemand()) {
        self.isDocumented = isDocumented
        state = Mutex(State(demand))
    }

    /// Limit of forms, more than apps use in some dozens of storefronts and languages; beyond, the
    /// form seen least recently is dropped.
    static let maxForms = 4_096
    /// Limit of forms that are compared for one conclusion, the nearest first: more than apps use
    /// of one type. Clients can make forms up, and all loops wait meanwhile.
    static let maxFamily = 128
    /// The longest rest of a form, in seconds.
    static let longestRest: Int64 = 7 * 86_400
    /// The longest parameters of a form that is learnt, in bytes: clients choose them, and forms
    /// are kept of which nothing is known.
    static let mostChosenBytes = 512

    /// Learns from an answer, fresh for `freshFor` seconds. It reads the document without the lock:
    /// of two simultaneous answers in one form one may be lost.
    func observe(
        _ request: CatalogRequest, _ document: MappedDocument, at now: Int64, freshFor: Int
    ) -> ResourceLibrary.Lesson {
        let form = request.form
        guard form.chosenBytes <= Self.mostChosenBytes, !request.repeatsOne else { return .nothingNew }
        let (entry, isWrong) = state.withLock { ($0.forms[form], $0.isWrong(form.shape, at: now)) }
        if isWrong { return .nothingNew }
        var learnt: Entry?
        var (fits, isNew, changes) = (true, false, false)
        switch entry {
        case .rests(let until) where now < until: return .nothingNew
        case .known(let known) where known.record.isBorneOut(by: document, request, at: now, freshFor: freshFor):
            return .nothingNew
        case .known(let known) where known.record.isFresh(at: now):
            var record = known.record
            fits = record.absorb(request, document, at: now, freshFor: freshFor)
            learnt = fits ? .known(Known(record)) : .rests(until: now + Int64(freshFor))
            changes = !fits || record.objects != known.record.objects || record.lists.cut != known.record.lists.cut
        default:
            (isNew, changes) = (true, true)
            if case .known(let known) = entry, form.shape.isOfResources, known.record.isRemembered(at: now) {
                var record = known.record
                if record.absorb(request, document, at: now, freshFor: freshFor) { learnt = .known(Known(record)) }
            }
            if learnt == nil {
                learnt = FormRecord(request, document, at: now, freshFor: freshFor).map { .known(Known($0)) }
            }
        }
        let isAsConcluded = state.withLock { state -> Bool in
            var isAsConcluded = true
            if isNew, case .known(let known)? = learnt {
                isAsConcluded = state.test(known.record, form, at: now)
                state.noteNames(of: form)
            }
            if changes { state.changes[form.shape.type, default: 0] += 1 }
            state.concluded[form] = nil
            if learnt != nil, state.forms[form] == nil { state.makeRoom() }
            state.forms[form] = learnt
            return isAsConcluded
        }
        return !fits ? .otherForm : isAsConcluded ? .nothingNew : .otherThanConcluded
    }

    /// The record of a form, seen or concluded; nil where it rests or nothing shows it.
    func record(_ form: Form, at now: Int64) -> FormRecord? {
        state.withLock { state in
            state.note(time: now)
            guard form.chosenBytes <= Self.mostChosenBytes, !state.isWrong(form.shape, at: now) else { return nil }
            if case .rests(let until)? = state.forms[form], now < until { return nil }
            return state.concluded(form, at: now)
        }
    }

    /// The reason for having no record of a form.
    func reasonWithoutRecord(of form: Form, at now: Int64) -> MissReason {
        state.withLock { state in
            if state.isWrong(form.shape, at: now) { return .formRests }
            return switch state.forms[form] {
            case nil: .formNeverSeen
            case .rests(let until): now < until ? .formRests : .formRanOut
            case .known: .formRanOut
            }
        }
    }

    /// Has the shape of a wrong answer rest in all storefronts and languages, because the others
    /// are composed by the same rules.
    func switchOff(_ shape: RequestShape, until: Int64, at now: Int64) {
        state.withLock { state in
            state.wrong = state.wrong.filter { now < $0.value }
            if state.wrong[shape] != nil || state.wrong.count < Self.maxForms {
                state.wrong[shape] = max(state.wrong[shape] ?? 0, until)
            }
            state.refute(shape.type, until: until)
            state.concluded = [:]
            // Each is learnt anew then.
            state.forms = state.forms.filter { $0.key.shape != shape }
        }
    }

    /// Whether a batch can answer for this single resource: its form is known, the origin has not
    /// refused such batches, and no batch in that form was seen to look otherwise.
    package func mayComeBatched(_ single: CatalogRequest, at now: Int64) -> Bool {
        let type = single.shape.type
        let batch = Form(single.shape.asked(as: .batch), in: single, isAlone: false)
        guard let own = record(single.form, at: now)?.objects[type],
            !agreement(type, in: single.storefront, at: now).isRefuted(.batched, .item),
            record(batch, at: now)?.objects[type]?.mayHold(own) ?? true
        else { return false }
        return state.withLock { $0.batchRefusals.mayTry(single.shape, single.storefront) }
    }

    /// Notes that a batch was answered, or refused although one of its resources came alone.
    package func note(batchOf single: RequestShape, in storefront: Storefront, isRefused: Bool) {
        state.withLock { state in
            if isRefused {
                state.batchRefusals.noteRefused(single, storefront)
            } else {
                state.batchRefusals.noteAnswered(single, storefront)
            }
        }
    }

    /// How many forms rest now; a shape of wrong answers counts once.
    package func resting(at now: Int64) -> Int {
        state.withLock { state in
            state.forms.values.count { if case .rests(let until) = $0 { now < until } else { false } }
                + state.wrong.values.count { now < $0 }
        }
    }
}

extension LearntForms.State {
    /// After a clock that was ahead, records are learnt again and rests are limited: both would
    /// otherwise last for as long as it was ahead.
    fileprivate mutating func note(time now: Int64) {
        defer { time = now }
        guard time > now, time - now > ClockStep.adjustment else { return }
        let latest = now + LearntForms.longestRest
        forms = forms.compactMapValues { entry in
            guard case .rests(let until) = entry else { return nil }
            return .rests(until: min(until, latest))
        }
        wrong = wrong.mapValues { min($0, latest) }
        tries.limit(at: now)
        refuted = refuted.mapValues { min($0, latest) }
        concluded = [:]
        places.cap(at: latest)
    }

    /// The record of a form, with what follows from other forms.
    fileprivate mutating func concluded(_ form: Form, at now: Int64) -> FormRecord? {
        let type = form.shape.type
        // Nothing of it is kept: conclusions count again once that is over.
        if let until = refuted[type], now < until { return remembered(form, at: now).flatMap { $0.fresh(at: now) } }
        let count = changes[type] ?? 0
        if let known = concluded[form], known.changes == count, known.known?.record.isFresh(at: now) ?? true {
            return known.known?.record
        }
        let record = conclude(form, at: now)
        if concluded.count >= LearntForms.maxForms { concluded = [:] }
        concluded[form] = LearntForms.Concluded(changes: count, known: record.map(LearntForms.Known.init))
        return record
    }

    private func remembered(_ form: Form, at now: Int64) -> FormRecord? {
        guard case .known(let known)? = forms[form], known.record.isRemembered(at: now) else { return nil }
        return known.record
    }

    private func conclude(_ form: Form, at now: Int64) -> FormRecord? {
        let own = remembered(form, at: now)
        let fresh = own.flatMap { $0.fresh(at: now) }
        guard fresh?.envelope ?? 0 == 0 else { return fresh }
        if form.shape.isOfResources {
            return FormFamily(type: form.shape.type, members: members(like: form, at: now)).record(of: form, at: now)
                ?? fresh
        }
        guard let own else { return nil }
        var record = fresh ?? renewed(own, of: form, at: now)
        if record?.lists.cut == .unknown, let cut = cutElsewhere(form, at: now) { record?.adopt(cut) }
        return record
    }

    private func renewed(_ own: FormRecord, of form: Form, at now: Int64) -> FormRecord? {
        forms.lazy.compactMap { other, entry in
            guard other.shape == form.shape, case .known(let known) = entry else { return nil }
            return own.renewed(by: known.record, at: now)
        }.first
    }

    /// The forms of the same type that share the most with the form, itself first.
    private func members(like form: Form, at now: Int64) -> [FormFamily.Member] {
        var near = [[FormFamily.Member]](repeating: [], count: Form.greatestNearness + 1)
        for (other, entry) in forms where other.isRelated(to: form) {
            let nearness = other.nearness(to: form)
            guard near[nearness].count < LearntForms.maxFamily, case .known(let known) = entry,
                known.record.isRemembered(at: now), known.record.envelope == 0,
                let shape = known.record.objects[form.shape.type]
            else { continue }
            near[nearness].append(
                FormFamily.Member(
                    form: other, record: known.record, shape: shape, selected: other.shape.selectedNames))
        }
        return Array(near.reversed().joined().prefix(LearntForms.maxFamily))
    }

    /// Tests what was concluded of a form on its first answer; false where that looks otherwise.
    fileprivate mutating func test(_ record: FormRecord, _ form: Form, at now: Int64) -> Bool {
        let type = form.shape.type
        guard let concluded = concluded(form, at: now)?.objects[type], let seen = record.objects[type],
            !seen.isSameForm(as: concluded)
        else { return true }
        refute(type, until: record.countsUntil)
        return false
    }

    /// Ends conclusions about a type.
    fileprivate mutating func refute(_ type: ResourceClass, until: Int64) {
        refuted[type] = max(refuted[type] ?? 0, until)
    }

    func isWrong(_ shape: RequestShape, at now: Int64) -> Bool {
        guard !wrong.isEmpty, let until = wrong[shape] else { return false }
        return now < until
    }

    fileprivate mutating func makeRoom() {
        guard forms.count >= LearntForms.maxForms else { return }
        let oldest = forms.min { $0.value.age < $1.value.age }
        if let oldest { forms[oldest.key] = nil }
    }
}

extension LearntForms.Entry {
    /// The measure of the least recent.
    fileprivate var age: Int64 {
        switch self {
        case .known(let known): known.record.lastSeen
        case .rests(let until): until
        }
    }
}

extension ObjectShape {
    /// Whether resources of this shape have the members of another one, with compatible list sizes.
    /// Elements are not compared: they can come from other answers.
    fileprivate func mayHold(_ other: ObjectShape) -> Bool {
        guard hasAttributes || !other.hasAttributes else { return false }
        return other.relations.allSatisfy { wanted in
            guard let own = self[wanted.name] else { return false }
            return own.hasData == wanted.hasData && own.otherMembers == wanted.otherMembers
                && own.size.isCompatible(with: wanted.size)
        }
    }
}
