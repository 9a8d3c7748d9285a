import AppleMusic

// Infers how resources look in a form of request that was not seen from forms that differ from it
// in `include` and `views` alone. Pure.
// Must hold: a relationship or view that is named looks as it did where it was named, another one
// as where it was not; two observations that differ say that this origin has another rule.

/// Forms of one type with the same parameters but `include` and `views`.
struct FormFamily {
    struct Member {
        /// The relationships and views that it names, by the numbers of their names.
        let selected: Set<UInt64>
        let shape: ObjectShape
    }

    let type: ResourceClass
    let members: [Member]

    /// Shape of resources where these are named; nil where it is unknown or the forms contradict
    /// each other.
    /// - Parameter isDocumented: whether the documentation replaces missing observations.
    func shape(selecting wanted: Set<UInt64>, isDocumented: Bool) -> ObjectShape? {
        guard let longest = members.max(by: { $0.shape.relations.count < $1.shape.relations.count }),
            wanted.allSatisfy({ name in members.contains { $0.selected.contains(name) } }),
            members.allSatisfy({ $0.shape.hasSameMembers(as: longest.shape) })
        else { return nil }
        var relations: [RelationShape] = []
        for name in names(longest) {
            switch observation(of: name, wanted, isDocumented) {
            case .shown(let relation): relations.append(relation)
            case .absent: break
            case .unknown, .contradiction: return nil
            }
        }
        // No form showed whether an object without relationships has the member `relationships`.
        return relations.isEmpty ? nil : longest.shape.with(relations)
    }

    /// Whether no known rule fits both the members and this new observation.
    func contradicts(_ seen: Member) -> Bool {
        guard let first = members.first else { return false }
        let family = FormFamily(type: type, members: members + [seen])
        let names = Set(family.members.flatMap { $0.shape.relations.map(\.name) })
        return !seen.shape.hasSameMembers(as: first.shape)
            || names.contains { name in
                if case .contradiction = family.observation(of: name, seen.selected, false) { true } else { false }
            }
    }

    /// Whether the members agree with the documentation in every relationship, at least one of them
    /// with elements.
    var bearsOutDocumentation: Bool {
        var agreements = 0
        for (name, look) in DocumentedRelations.looks(of: type) {
            for member in members where !member.selected.contains(name) {
                let shown = member.shape[name]
                guard shown.fits(look) else { return false }
                if let shown, !shown.elements.isEmpty { agreements += 1 }
            }
        }
        return agreements > 0
    }

    private enum Observation {
        case shown(RelationShape)
        case absent, unknown, contradiction
    }

    /// In the order of the form that shows most.
    private func names(_ longest: Member) -> [UInt64] {
        var names = longest.shape.relations.map(\.name)
        for member in members {
            for relation in member.shape.relations where !names.contains(relation.name) { names.append(relation.name) }
        }
        return names
    }

    private func observation(of name: UInt64, _ wanted: Set<UInt64>, _ isDocumented: Bool) -> Observation {
        let isSelected = wanted.contains(name)
        let seen = members.filter { $0.selected.contains(name) == isSelected }
        guard !seen.isEmpty else { return isDocumented && !isSelected ? documented(name) : .unknown }
        let shown = seen.compactMap { member in member.shape[name].map { (member, $0) } }
        guard !shown.isEmpty else { return .absent }
        guard shown.count == seen.count else { return .contradiction }
        // The relationships of an element may depend on whether they are included too
        // (APPLE-MUSIC-API 6.2).
        let alike = shown.filter { member, relation in
            relation.elements.relationNames.allSatisfy { member.selected.contains($0) == wanted.contains($0) }
        }.map(\.1)
        guard let first = alike.first else { return .unknown }
        guard alike.allSatisfy({ $0.isSameForm(as: first) }) else { return .contradiction }
        return .shown(alike.first { !$0.size.isUnknown } ?? first)
    }

    private func documented(_ name: UInt64) -> Observation {
        guard let included = members.lazy.compactMap({ $0.shape[name] }).first else { return .unknown }
        // No view is there by default (APPLE-MUSIC-API 4.3.5).
        if included.isView { return .absent }
        guard let look = DocumentedRelations.looks(of: type)[name] else { return .unknown }
        return switch look {
        case .absent: .absent
        case .identifiers: .shown(included.ofIdentifiers)
        case .resources: included.elements.relationNames.isEmpty ? .shown(included) : .unknown
        }
    }
}

/// Whether a rule held where it could be looked at. One counterexample takes it back.
struct RuleEvidence: Sendable {
    /// Unix seconds: how long the answers count that bore it out, and that did not.
    private var agreedUntil: Int64 = 0
    private var refutedUntil: Int64 = 0

    func holds(at now: Int64) -> Bool { now < agreedUntil && !isRefuted(at: now) }
    func isRefuted(at now: Int64) -> Bool { now < refutedUntil }

    mutating func note(_ isBorneOut: Bool, until: Int64) {
        if isBorneOut { agreedUntil = max(agreedUntil, until) } else { refutedUntil = max(refutedUntil, until) }
    }

    /// The clock was ahead: nothing bears the rule out any more, and what took it back counts until
    /// `latest` at most.
    mutating func cap(at latest: Int64) { (agreedUntil, refutedUntil) = (0, min(refutedUntil, latest)) }
}

extension RelationShape? {
    fileprivate func fits(_ look: DocumentedRelations.Look) -> Bool {
        switch look {
        case .absent: self == nil
        case .identifiers: self.map { $0.hasData && $0.elements.areIdentifiers } ?? false
        case .resources: self.map { $0.hasData && $0.elements.areResources } ?? false
        }
    }
}
