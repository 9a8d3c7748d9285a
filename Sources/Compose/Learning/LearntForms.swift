import AppleMusic
import Synchronization

/// Forms of the origin's answers, learnt by all loops.
///
/// Its lock is taken for an answer of the origin, and to compose one; never for a hit.
package final class LearntForms: Sendable {
    struct State {
        var forms: [RequestShape: Entry] = [:]
        var places: LearntPlaces
        /// That `include` changes the relationships that it names, that `views` adds a member, and
        /// that neither does anything else.
        var selectionRule = RuleEvidence()
        /// That a resource of a type looks in a batch as it does alone: types differ in that
        /// (APPLE-MUSIC-API 4.2.8).
        var batchRules: [ResourceClass: RuleEvidence] = [:]
        var batchRefusals = BatchRefusals()
        /// The latest time at which something was asked, unix seconds.
        var time = Int64.min

        init(_ demand: PlacementDemand) { places = LearntPlaces(demand) }
    }

    /// A class, so a lookup retains one object instead of every array inside.
    final class Known: Sendable {
        let record: FormRecord
        init(_ record: FormRecord) { self.record = record }
    }

    enum Entry {
        case known(Known)
        /// Contradicted: nothing is composed in that form before this unix second.
        case rests(until: Int64)
    }

    let state: Mutex<State>
    /// Whether the documentation counts where this origin agrees with it.
    private let isDocumented: Bool

    init(isDocumented: Bool = false, _ demand: PlacementDemand = PlacementDemand()) {
        self.isDocumented = isDocumented
        state = Mutex(State(demand))
    }

    /// More forms than apps use; beyond, the form seen least recently is dropped.
    static let maxForms = 1_024
    /// More selections than apps make of one type; beyond, none is learnt, because each new one is
    /// compared with all others.
    static let maxFamily = 64
    /// The longest parameters of a form that is learnt, in bytes: clients choose them.
    static let maxDecoration = 512

    /// Learns from an answer, fresh for `freshFor` seconds; false for a contradiction. It reads the
    /// document without the lock: of two simultaneous answers in one form one may be lost.
    func observe(_ request: CatalogRequest, _ document: MappedDocument, at now: Int64, freshFor: Int) -> Bool {
        guard request.shape.decoration.count <= Self.maxDecoration else { return true }
        let entry: Entry? = state.withLock { $0.forms[request.shape] }
        var learnt: Entry?
        var (fits, isNew) = (true, false)
        switch entry {
        case .rests(let until) where now < until: return true
        case .known(let known) where known.record.isBorneOut(by: document, request, at: now, freshFor: freshFor):
            return true
        case .known(let known) where known.record.isFresh(at: now):
            var record = known.record
            fits = record.absorb(request, document, at: now, freshFor: freshFor)
            learnt = fits ? .known(Known(record)) : .rests(until: now + Int64(freshFor))
        default:
            learnt = FormRecord(request, document, at: now, freshFor: freshFor).map { .known(Known($0)) }
            isNew = true
        }
        state.withLock { state in
            if isNew, state.family(request.shape, [request.shape.subject], at: now).count >= Self.maxFamily { return }
            if state.forms[request.shape] == nil { state.makeRoom() }
            if isNew, case .known(let known)? = learnt { state.noteRules(known.record, request.shape, at: now) }
            state.forms[request.shape] = learnt
        }
        return fits
    }

    /// The fresh record of a form, or one inferred from other forms.
    func record(_ shape: RequestShape, at now: Int64) -> FormRecord? {
        state.withLock { state in
            state.note(time: now)
            return switch state.forms[shape] {
            case .known(let known) where known.record.isFresh(at: now): known.record
            case .rests(let until) where now < until: nil
            default: state.inferredRecord(shape, isDocumented: isDocumented, at: now)
            }
        }
    }

    /// The reason for having no record of a form.
    func reasonWithoutRecord(of shape: RequestShape, at now: Int64) -> MissReason {
        state.withLock { state in
            switch state.forms[shape] {
            case nil: .formNeverSeen
            case .rests(let until): now < until ? .formRests : .formRanOut
            case .known: .formRanOut
            }
        }
    }

    /// Has the form of a wrong answer rest, and the rules refuted where they had inferred it.
    func switchOff(_ shape: RequestShape, until: Int64, at now: Int64) {
        state.withLock { state in
            if shape.isOfResources, !state.isSeen(shape, at: now) {
                state.selectionRule.note(false, until: until)
                state.batchRules[shape.type, default: RuleEvidence()].note(false, until: until)
            }
            state.forms[shape] = .rests(until: until)
        }
    }

    /// Whether a batch can answer for this single resource: its form is known, the origin has not
    /// refused such batches, and no batch in that form was seen to look otherwise.
    package func mayComeBatched(_ single: RequestShape, in storefront: Storefront, at now: Int64) -> Bool {
        guard let own = record(single, at: now)?.objects[single.type],
            !agreement(single.type, in: storefront, at: now).isRefuted(.batched, .item),
            record(single.asked(as: .batch), at: now)?.objects[single.type]?.mayHold(own) ?? true
        else { return false }
        return state.withLock { $0.batchRefusals.mayTry(single, storefront) }
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

    /// How many forms rest now.
    package func resting(at now: Int64) -> Int {
        state.withLock { state in
            state.forms.values.count { if case .rests(let until) = $0 { now < until } else { false } }
        }
    }
}

extension LearntForms.State {
    /// After a clock that was ahead, records are learnt again and rests are limited: both would
    /// otherwise last for as long as it was ahead.
    fileprivate mutating func note(time now: Int64) {
        defer { time = now }
        guard time > now, time - now > Self.stepBack else { return }
        let latest = now + Self.longestRest
        forms = forms.compactMapValues { entry in
            guard case .rests(let until) = entry else { return nil }
            return .rests(until: min(until, latest))
        }
        selectionRule.cap(at: latest)
        for type in batchRules.keys { batchRules[type]?.cap(at: latest) }
        places.cap(at: latest)
    }

    /// A clock that goes back by less is being adjusted.
    private static let stepBack: Int64 = 60
    private static let longestRest: Int64 = 7 * 86_400

    fileprivate mutating func makeRoom() {
        guard forms.count >= LearntForms.maxForms else { return }
        let oldest = forms.min { $0.value.age < $1.value.age }
        if let oldest { forms[oldest.key] = nil }
    }
}

// MARK: - What follows from other forms

extension LearntForms.State {
    /// Whether the form is known by answers in it.
    func isSeen(_ shape: RequestShape, at now: Int64) -> Bool {
        if case .known(let known) = forms[shape] { known.record.isFresh(at: now) } else { false }
    }

    func batchRule(_ type: ResourceClass) -> RuleEvidence { batchRules[type] ?? RuleEvidence() }

    /// The records of items and batches of one type with the same parameters but `include` and
    /// `views`.
    func family(_ shape: RequestShape, _ subjects: [CatalogRequest.Subject], at now: Int64)
        -> [(record: FormRecord, member: FormFamily.Member)]
    {
        forms.compactMap { other, entry in
            guard other.type == shape.type, subjects.contains(other.subject), other.decoration == shape.decoration,
                case .known(let known) = entry, known.record.isFresh(at: now), known.record.envelope == 0,
                let resource = known.record.objects[shape.type]
            else { return nil }
            return (known.record, FormFamily.Member(selected: other.selectedNames, shape: resource))
        }
    }

    func bearsOutDocumentation(_ type: ResourceClass, at now: Int64) -> Bool {
        let plain = RequestShape(subject: .item, type: type, include: [], decoration: [])
        let members = family(plain, [.item, .batch], at: now).map(\.member)
        return FormFamily(type: type, members: members).bearsOutDocumentation
    }

    /// The record of a form of items or batches that was not seen yet, inferred from those that
    /// were; nil where no rule that held so far allows it.
    func inferredRecord(_ shape: RequestShape, isDocumented: Bool, at now: Int64) -> FormRecord? {
        guard shape.isOfResources, !selectionRule.isRefuted(at: now) else { return nil }
        let selected = shape.selectedNames
        let isTrusted = isDocumented && shape.decoration.isEmpty && bearsOutDocumentation(shape.type, at: now)
        let batchRule = batchRule(shape.type)
        guard isTrusted || selectionRule.holds(at: now) || batchRule.holds(at: now) else { return nil }
        // An include's shape may differ between one and several (APPLE-MUSIC-API 6.2).
        let joins =
            batchRule.holds(at: now)
            || isTrusted && selected.isEmpty && !batchRule.isRefuted(at: now)
        let known = family(shape, joins ? [.item, .batch] : [shape.subject], at: now)
        let isSeenOtherwise = known.contains { $0.member.selected == selected }
        guard isTrusted || selectionRule.holds(at: now) || isSeenOtherwise else { return nil }
        let family = FormFamily(type: shape.type, members: known.map(\.member))
        guard let resource = family.shape(selecting: selected, isDocumented: isTrusted) else { return nil }
        return FormRecord(resource, of: shape.type, from: known.map(\.record))
    }

    /// Tests the rules on a form that was seen for the first time.
    mutating func noteRules(_ record: FormRecord, _ shape: RequestShape, at now: Int64) {
        guard shape.isOfResources, record.envelope == 0, let resource = record.objects[shape.type] else { return }
        let alike = family(shape, [shape.subject], at: now).map(\.member)
        let own = FormFamily.Member(selected: shape.selectedNames, shape: resource)
        let family = FormFamily(type: shape.type, members: alike)
        if family.contradicts(own) {
            selectionRule.note(false, until: record.countsUntil)
        } else if let concluded = family.shape(selecting: own.selected, isDocumented: false) {
            selectionRule.note(concluded.isSameForm(as: resource), until: record.countsUntil)
        }
        // Views are of single resources alone (APPLE-MUSIC-API 4.3.5).
        guard shape.views.isEmpty else { return }
        if case .known(let known) = forms[shape.asked(as: shape.subject == .item ? .batch : .item)],
            let shown = known.record.objects[shape.type]
        {
            let isSame = shown.isSameForm(as: resource)
            // A shape with selected relationships alone is no evidence for the rule.
            guard !isSame || resource.relations.contains(where: { !own.selected.contains($0.name) }) else { return }
            batchRules[shape.type, default: RuleEvidence()].note(isSame, until: record.countsUntil)
        }
    }
}

extension RequestShape {
    /// The same of one resource, or of several.
    func asked(as subject: CatalogRequest.Subject) -> RequestShape {
        RequestShape(subject: subject, type: type, include: include, decoration: decoration)
    }

    /// Whether it asks for resources of one type by their ids.
    fileprivate var isOfResources: Bool { (subject == .item || subject == .batch) && type.isResourceType }

    /// The numbers of the names in `include` and `views`.
    fileprivate var selectedNames: Set<UInt64> {
        Set(
            include.map { ResourceDocument.nameNumber($0.span, isView: false) }
                + views.map { ResourceDocument.nameNumber($0.span, isView: true) })
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
