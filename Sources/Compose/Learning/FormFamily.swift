import AppleMusic

// Concludes how resources look in a form of which no fresh answer is known. Pure.
// Must hold: an answer in other circumstances shows the same selection; each relationship and view
// was seen to look as it does there in answers of the form's kind, of its storefront, of its
// language and with its other parameters (DECISIONS 9.11).

/// Forms of items and batches of one type.
struct FormFamily {
    struct Member {
        let form: Form
        let record: FormRecord
        let shape: ObjectShape
        /// The relationships and views that it names, by the numbers of their names.
        let selected: Set<UInt64>
    }

    let type: ResourceClass
    /// The nearest first.
    let members: [Member]

    /// Limit of looks that are tried, because each is compared with all members.
    private static let mostPatterns = 8

    /// The record of a form, with what similar forms have shown; nil where nothing follows from
    /// them. No other form's answer counts as a look at it while one of its own is fresh.
    func record(of form: Form, at now: Int64) -> FormRecord? {
        let patterns = members.filter { $0.form.hasSelection(of: form) }
        let fresh = patterns.filter { $0.record.isFresh(at: now) }
        let own = fresh.filter { $0.form == form }
        // Where no fresh answer shows the selection, fresh ones have to show each part of it.
        let alike = Alike(form, fresh.isEmpty ? members.filter { $0.record.isFresh(at: now) } : members)
        let until = fresh.isEmpty ? alike.countsUntil : Int64.max
        guard alike.areComplete, let until else { return nil }
        for pattern in (!own.isEmpty ? own : !fresh.isEmpty ? fresh : patterns).prefix(Self.mostPatterns) {
            guard let shape = alike.shape(as: pattern.shape) else { continue }
            return FormRecord(
                shape, of: type, from: alike.kind.map(\.record), keepsOrder: alike.keepsOrder,
                until: fresh.isEmpty ? until : pattern.record.countsUntil)
        }
        return nil
    }
}

/// The forms that share circumstances with a wanted form.
private struct Alike {
    typealias Member = FormFamily.Member

    private let wanted: Set<UInt64>
    /// Forms that share all circumstances.
    private let own: [Member]
    /// Forms of one resource, or of several, as the wanted form is.
    let kind: [Member]
    /// Whether a batch of the same storefront and language came in the order of its ids.
    let keepsOrder: Bool
    private let groups: [[Member]]

    /// Forms with other parameters that choose relationships are no evidence of how those look.
    init(_ form: Form, _ all: [Member]) {
        let members = all.filter { $0.form.hasDecoration(of: form) || !$0.form.shape.choosesRelationships }
        wanted = form.shape.selectedNames
        own = members.filter { $0.form.hasCircumstances(of: form) }
        kind = members.filter { $0.form.hasKind(of: form) }
        keepsOrder = kind.contains {
            $0.record.keepsOrder && $0.form.storefront == form.storefront && $0.form.language == form.language
        }
        groups = [
            kind, members.filter { $0.form.storefront == form.storefront },
            members.filter { $0.form.language == form.language },
            members.filter { $0.form.hasDecoration(of: form) },
        ]
    }

    /// Whether any form shares each circumstance.
    var areComplete: Bool { groups.allSatisfy { !$0.isEmpty } }

    /// Unix seconds until which each group shows something; nil where one shows nothing.
    var countsUntil: Int64? {
        let ends = groups.map { $0.map(\.record.countsUntil).max() }
        return ends.contains(nil) ? nil : ends.compactMap(\.self).min()
    }

    /// The shape of resources that look as in the pattern, as far as each group has shown that.
    func shape(as pattern: ObjectShape) -> ObjectShape? {
        guard let base = base(as: pattern) else { return nil }
        var names = pattern.relations.map(\.name)
        for relation in groups.joined().flatMap(\.shape.relations) where !names.contains(relation.name) {
            names.append(relation.name)
        }
        var relations: [RelationShape] = []
        for name in names {
            guard let shown = pattern[name] else {
                guard isAbsent(name) else { return nil }
                continue
            }
            guard let relation = relation(as: shown) else { return nil }
            relations.append(relation)
        }
        // No form showed whether an object without relationships has the member `relationships`.
        return relations.isEmpty ? nil : base.with(relations)
    }

    /// The members and attributes of the resources themselves.
    private func base(as pattern: ObjectShape) -> ObjectShape? {
        var base: ObjectShape?
        for group in groups {
            let same = group.lazy.map(\.shape).filter { $0.hasSameMembers(as: pattern) }
            guard let first = same.first else { return nil }
            let merged = first.mergedAttributes(of: same)
            base = base.map { $0.agreedAttributes(with: merged) } ?? merged
        }
        return base?.mergedAttributes(of: own.lazy.map(\.shape))
    }

    /// The look of a relationship; nil where a group was not seen to show it so, or where the own
    /// forms show something else.
    private func relation(as shown: RelationShape) -> RelationShape? {
        var agreed: RelationShape?
        for group in groups {
            guard let look = look(shown, in: group) else { return nil }
            agreed = agreed.map { $0.agreed(with: look) } ?? look
            guard agreed != nil else { return nil }
        }
        guard namesAlike(shown.name, own) else { return agreed }
        guard let look = look(shown, in: own) else { return nil }
        return agreed.flatMap { look.merged(with: $0) }
    }

    /// The part of the relationship that members of a group were seen to show.
    private func look(_ shown: RelationShape, in group: [Member]) -> RelationShape? {
        var look: RelationShape?
        for member in group where isNamedAlike(shown.name, member) {
            guard let confirmed = member.shape[shown.name]?.confirmed(by: shown) else { continue }
            look = look.map { $0.merged(with: confirmed) ?? $0 } ?? confirmed
        }
        return look
    }

    private func isAbsent(_ name: UInt64) -> Bool {
        (groups + (namesAlike(name, own) ? [own] : [])).allSatisfy { group in
            group.contains { isNamedAlike(name, $0) && $0.shape[name] == nil }
        }
    }

    private func namesAlike(_ name: UInt64, _ group: [Member]) -> Bool { group.contains { isNamedAlike(name, $0) } }

    /// Whether the member names it, or not, as the wanted form does.
    private func isNamedAlike(_ name: UInt64, _ member: Member) -> Bool {
        member.selected.contains(name) == wanted.contains(name)
    }
}

extension Form {
    /// Whether both are of one resource or of several, of one storefront and language, with the
    /// same parameters but `include` and `views`.
    func hasCircumstances(of other: Form) -> Bool {
        hasKind(of: other) && storefront == other.storefront && language == other.language
            && hasDecoration(of: other)
    }

    func hasKind(of other: Form) -> Bool { shape.subject == other.shape.subject && isAlone == other.isAlone }

    /// Whether both have the same parameters beside `include` and `views`.
    func hasDecoration(of other: Form) -> Bool { shape.decoration == other.shape.decoration }

    func hasSelection(of other: Form) -> Bool {
        shape.include == other.shape.include && shape.views == other.shape.views
    }

    func isRelated(to other: Form) -> Bool {
        shape.type == other.shape.type && shape.isOfResources
    }

    /// How much both share: first of their circumstances, then of their selection.
    func nearness(to other: Form) -> Int {
        var nearness = hasSelection(of: other) ? 1 : 0
        if hasKind(of: other) { nearness += 2 }
        if storefront == other.storefront { nearness += 2 }
        if language == other.language { nearness += 2 }
        if hasDecoration(of: other) { nearness += 2 }
        return nearness
    }

    static let greatestNearness = 9
}

extension RequestShape {
    /// Whether it asks for resources of one type by their ids.
    var isOfResources: Bool { (subject == .item || subject == .batch) && type.isResourceType }

    /// Whether parameters beside `include` and `views` add relationships or cut their lists
    /// (APPLE-MUSIC-API 4.3).
    fileprivate var choosesRelationships: Bool {
        decoration.split(separator: UInt8(ascii: "&")).contains { parameter in
            ["relate", "include", "limit"].contains { parameter.starts(with: $0.utf8) }
        }
    }

    /// The numbers of the names in `include` and `views`.
    var selectedNames: Set<UInt64> {
        Set(
            include.map { ResourceDocument.nameNumber($0.span, isView: false) }
                + views.map { ResourceDocument.nameNumber($0.span, isView: true) })
    }
}
