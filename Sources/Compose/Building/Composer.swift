import AppleMusic
import Cache
import Freshness

// Composes the answer to a request from stored answers, in the form in which the origin was seen to
// answer (DECISIONS 9.1). Must hold: the form was seen, or follows from forms that were (9.11);
// every part is fresh; every value is the origin's bytes, except a page's `next` (10.2).

package struct Composer {
    private let settings: CompositionSettings
    private let forms: LearntForms
    private let growth: GrowthAccounts
    private let sizes: LearntSizes
    private let absences: KnownAbsences
    /// How long "not found" counts, in seconds; 0 where it is not kept.
    private let notFoundFor: Int
    /// Lifetime of the requested class.
    private let rule: TTLRule

    /// - Parameters:
    ///   - notFoundFor: how long "not found" counts, in seconds; 0 where it is not kept.
    ///   - rule: of the requested class.
    package init(
        settings: CompositionSettings, library: ResourceLibrary, notFoundFor: Int, rule: TTLRule
    ) {
        (self.settings, forms, growth, sizes) = (settings, library.forms, library.growth, library.sizes)
        absences = library.absences
        (self.notFoundFor, self.rule) = (notFoundFor, rule)
    }

    /// Composes the answer, or a request for its missing parts.
    package func compose(_ request: CatalogRequest, _ sources: StoredSources, at now: Int64) -> CompositionOutcome {
        let outcome = attempt(request, sources, at: now)
        if sources.reading?.isShort == true { return .impossible(Refusal(Refusal.Rule(request), .sourcesTooLarge)) }
        switch outcome {
        case .partial(let supplement):
            let related = related(supplement, request, at: now)
            // The supplement's answer is stored already, and did not suffice.
            guard [supplement, related].contains(where: { sources.hasAnswer(to: $0.target) }) else {
                return .partial(related)
            }
            return .impossible(
                supplement.growth == nil
                    ? Refusal(.supplement, .contradicted) : Refusal(.growth, .growthGainsLittle))
        case .impossible(let refusal):
            if refusal.reason == .notHeld, let owner = owner(of: request, at: now),
                !sources.hasAnswer(to: owner.target)
            {
                return .partial(owner)
            }
            return composeNothing(request, refusal, at: now)
        case .answer(let body):
            guard var limited = body.limited(by: rule, at: now) else {
                return .impossible(Refusal(Refusal.Rule(request), .overAge))
            }
            if request.mayHaveSuperset {
                let type = request.shape.type
                limited.growth = .superset(
                    Superset(
                        request: request, resources: request.resources,
                        relatedIn: limited.parts.lazy.compactMap { $0.relatesInside(to: type) }.first))
            }
            return .answer(limited)
        }
    }

    /// The outcome where none of the resources is stored.
    package func composeNothing(_ request: CatalogRequest, at now: Int64) -> CompositionOutcome {
        composeNothing(request, Refusal(nothingHeldOf: request), at: now)
    }

    private func composeNothing(_ request: CatalogRequest, _ refusal: Refusal, at now: Int64) -> CompositionOutcome {
        if case .list = request.shape.subject {
            return relatedPage(request, at: now).map { .partial($0) } ?? .impossible(refusal)
        }
        guard refusal.reason.mayEndWithSuperset,
            let supplement = superset(of: request.resources, request, at: now)
        else { return .impossible(refusal) }
        return .partial(supplement)
    }

    private func attempt(_ request: CatalogRequest, _ sources: StoredSources, at now: Int64) -> CompositionOutcome {
        let rule = Refusal.Rule(request)
        switch request.shape.subject {
        case .item, .batch: guard settings.compose != .off else { return .impossible(Refusal(rule, .switchedOff)) }
        case .list: guard settings.windows else { return .impossible(Refusal(rule, .switchedOff)) }
        case .results: return .impossible(Refusal(rule, .foundOtherwise))
        }
        let list = request.listNumber
        // A page is cut out of a page, so without any the form does not matter.
        if let list, !sources.index.holds(list) {
            return .impossible(Refusal(nothingHeldOf: request))
        }
        guard let record = forms.record(request.form, at: now) else {
            return .impossible(Refusal(rule, forms.reasonWithoutRecord(of: request.form, at: now)))
        }
        guard record.envelope == 0 else { return .impossible(Refusal(rule, .formNotUnderstood)) }
        let assembler = Assembler(sources, for: request, forms: forms, absences: absences, at: now)
        switch request.shape.subject {
        case .item: return composeItem(request, record, assembler, at: now)
        case .batch: return composeBatch(request, record, assembler, at: now)
        case .list, .results:
            guard let list else { return .impossible(Refusal(nothingHeldOf: request)) }
            do throws(MissReason) {
                let cutter = try WindowCutter(
                    request, record, growth: growth, sizes: sizes, completingNext: settings.completesNext)
                return cutter.cut(list, assembler)
            } catch {
                return .impossible(Refusal(rule, error))
            }
        }
    }

    private func composeItem(
        _ request: CatalogRequest, _ record: FormRecord, _ empty: consuming Assembler, at now: Int64
    ) -> CompositionOutcome {
        var assembler = empty
        guard let name = request.resources.first, let shape = record.objects[name.type] else {
            return .impossible(Refusal(.item, .typeNeverSeen))
        }
        assembler.append("{\"data\":[")
        switch assembler.write(name.number, name.type, id: name.id.quoted[...], shape, .item) {
        case .done:
            assembler.append("]}")
            return assembler.outcome(.item, .composed, reliesUntil: record.countsUntil)
        case .lacking: return supplement(request, assembler.missing)
        case .impossible(let reason): return .impossible(Refusal(.item, reason))
        }
    }

    private func composeBatch(
        _ request: CatalogRequest, _ record: FormRecord, _ empty: consuming Assembler, at now: Int64
    ) -> CompositionOutcome {
        var assembler = empty
        let names = request.resources
        guard names.areDistinct else { return .impossible(Refusal(.batch, .duplicatesUnknown)) }
        guard record.keepsOrder || names.count == 1 else { return .impossible(Refusal(.batch, .orderUnknown)) }
        guard record.takes(request) else { return .impossible(Refusal(.batch, .tooManyIDs)) }
        assembler.append("{\"data\":[")
        let start = assembler.output.count
        var reliesUntil = record.countsUntil
        var (missing, lacking) = ([ResourceName](), 0)
        var reason = MissReason.notHeld
        for name in names {
            let mark = assembler.mark
            if assembler.output.count > start { assembler.append(",") }
            let writing =
                record.objects[name.type].map { shape in
                    assembler.write(name.number, name.type, id: name.id.quoted[...], shape, .batched)
                } ?? .impossible(.typeNeverSeen)
            if assembler.output.isTooLong { return .impossible(Refusal(.batch, .answerTooLarge)) }
            if writing == .done { continue }
            assembler.rewind(to: mark)
            if case .impossible(let own) = writing {
                if own == .withdrawn, let until = absence(of: name, request, &assembler, at: now) {
                    reliesUntil = min(reliesUntil, until)
                    continue
                }
                reason = reason.orFurther(own)
            } else {
                lacking += 1
            }
            if !missing.contains(name) { missing.append(name) }
        }
        guard missing.isEmpty else {
            // Only elements are missing: they are fetched alone; else whole resources are.
            if lacking == names.count { return supplement(request, assembler.missing) }
            guard missing.count < Set(names).count else { return .impossible(Refusal(.batch, reason)) }
            guard missing.count <= sizes.most(request.shape, upTo: missing.count) else {
                return .impossible(Refusal(.supplement, .answerTooLarge))
            }
            return .partial(
                superset(of: missing, request, at: now)
                    ?? Supplement(target: request.target(resources: missing)))
        }
        // All are absent: no part could give the answer its fields.
        guard !assembler.used.isEmpty else { return .impossible(Refusal(.batch, reason)) }
        assembler.append("]}")
        return assembler.outcome(.batch, .split, reliesUntil: reliesUntil)
    }

    /// The end of a known absence, in unix seconds: a fresh batch that asked for the resource lacks
    /// it, and no newer answer names it.
    private func absence(
        of name: ResourceName, _ request: CatalogRequest, _ assembler: inout Assembler, at now: Int64
    ) -> Int64? {
        let places = assembler.sources.places(request.indexNumber(ofResource: name.number))
        for (part, place) in places where place.kind == .absence {
            let until = part.response.receivedAt + Int64(notFoundFor)
            guard until > now, part.lacks(name, request), assembler.isAbsent(name, since: part) else { continue }
            assembler.use(part)
            return until
        }
        return nil
    }
}

// MARK: - What to fetch

extension Composer {
    /// A request for these resources with further relationships and views that clients often want
    /// of their type (DECISIONS 9.13), and with ids that complete nested resources (9.17). The
    /// client's form must be known, so that its answer can be composed of it.
    private func superset(of resources: [ResourceName], _ request: CatalogRequest, at now: Int64) -> Supplement? {
        guard settings.asksForMore, request.mayHaveSuperset else { return nil }
        var superset = Superset(request: request, resources: resources)
        let selections = growth.selections(for: superset)
        guard !selections.isEmpty || request.shape.nestsResources,
            let record = forms.record(request.form, at: now), record.envelope == 0,
            request.shape.subject == .item || request.resources.count == 1
                || record.keepsOrder && request.resources.areDistinct
        else { return nil }
        superset.wider = selections.lazy.map(request.shape.selecting).first { [superset] shape in
            forms.mayAsk(in: superset.form(in: shape), at: now)
        }
        var shape = superset.wider ?? request.shape
        if shape.nestsResources {
            let relating = forms.relating(shape, of: request, at: now)
            superset.relates =
                relating != shape
                && growth.mayRelate(relating, inPlaceOf: request.shape, count: superset.resources.count)
            if superset.relates { shape = relating }
        }
        guard superset.wider != nil || superset.relates else { return nil }
        return Supplement(target: request.target(resources: resources, in: shape), growth: .superset(superset))
    }

    /// The owner of a list, in place of its first page: clients that read the one want the other
    /// soon (DECISIONS 10.8). Where the list goes on, or has nearly as many items as are asked for,
    /// its page cannot be cut out of the owner and is asked for as well.
    private func owner(of request: CatalogRequest, at now: Int64) -> Supplement? {
        guard settings.asksForMore, settings.windows, request.mayBeShownByOwner,
            case .list(let name, _) = request.shape.subject, let owner = request.owner,
            growth.mayAskOwner(owner.shape.type),
            let own = forms.record(request.form, at: now), !own.objects.resources.isEmpty,
            (try? WindowCutter(request, own, growth: growth, sizes: sizes, completingNext: false)) != nil,
            let record = forms.record(owner.form, at: now), record.envelope == 0,
            let list = record.objects[owner.shape.type]?[ResourceDocument.nameNumber(name.span, isView: false)],
            list.hasData, !list.elements.areIdentifiers,
            own.objects.resources.allSatisfy({ type, _ in
                forms.agreement(type, in: request.storefront, at: now).holds(.included, in: .listed)
            })
        else { return nil }
        let larger = superset(of: owner.resources, owner, at: now)
        guard case .superset(let superset)? = larger?.growth else {
            return Supplement(target: owner.target, growth: .owner(Superset(ownerOf: request)))
        }
        return larger.map { Supplement(target: $0.target, growth: .owner(superset.inPlace(of: request))) }
    }

    /// The requested page, with ids that complete its items (DECISIONS 9.17).
    private func relatedPage(_ request: CatalogRequest, at now: Int64) -> Supplement? {
        guard settings.windows, let record = forms.record(request.form, at: now), record.envelope == 0,
            record.lists.link(for: request) != nil,
            let target = relatedPage(
                request, limit: request.limit, offset: request.offset,
                count: request.limit ?? record.lists.standardLimit(of: request) ?? Self.mostOfPage, at: now)
        else { return nil }
        return Supplement(target: target, growth: .superset(Superset(pageOf: request)))
    }

    /// A larger page, with the same ids.
    private func related(_ supplement: Supplement, _ request: CatalogRequest, at now: Int64) -> Supplement {
        guard case .page(var page)? = supplement.growth,
            let target = relatedPage(request, limit: page.limit, offset: page.offset, count: page.limit, at: now)
        else { return supplement }
        page.relates = true
        return Supplement(target: target, growth: .page(page))
    }

    /// The greatest limit that is documented of any list (APPLE-MUSIC-API 4.1).
    private static let mostOfPage = 300

    /// The target of a page with ids that complete its items; nil without such ids.
    /// - Parameter count: the most items of the page.
    private func relatedPage(
        _ request: CatalogRequest, limit: Int?, offset: Int?, count: Int, at now: Int64
    ) -> [UInt8]? {
        guard settings.asksForMore, request.shape.nestsResources else { return nil }
        let shape = forms.relating(request.shape, of: request, at: now)
        guard shape != request.shape, growth.mayRelate(shape, inPlaceOf: request.shape, count: count)
        else { return nil }
        return request.target(limit: limit, offset: offset, in: shape)
    }

    /// A request for missing elements, where one can bring them all.
    private func supplement(_ request: CatalogRequest, _ missing: [ResourceName]) -> CompositionOutcome {
        guard let type = missing.first?.type, missing.allSatisfy({ $0.type == type }) else {
            return .impossible(Refusal(.supplement, .severalTypes))
        }
        let ids = Array(Set(missing.map(\.id))).sorted { $0.lexicographicallyPrecedes($1) }
        guard ids.count <= CatalogRequest.mostIDs(type) else {
            return .impossible(Refusal(.supplement, .tooManyMissing))
        }
        let shape = RequestShape(subject: .batch, type: type, include: [], decoration: [])
        guard ids.count <= sizes.most(shape, upTo: ids.count) else {
            return .impossible(Refusal(.supplement, .answerTooLarge))
        }
        return .partial(Supplement(target: request.target(relatedType: type, ids: ids)))
    }
}

extension MissReason {
    /// Whether a larger request may help: the resource is not stored in that form.
    fileprivate var mayEndWithSuperset: Bool {
        switch self {
        case .notHeld, .placesNeverCompared, .placesRarelyCompared, .placesDiffer, .relationshipNotHeld,
            .elementNotHeld, .contradicted:
            true
        default: false
        }
    }
}

extension StoredSource {
    /// The source's own type, if it is another one and its request had `relate` parameters.
    fileprivate func relatesInside(to type: ResourceClass) -> ResourceClass? {
        guard response.classTag != type.rawValue, let shape = request?.shape, shape.relates else { return nil }
        return shape.type
    }

    /// Whether it answers a batch for the resource, in the same circumstances, without it.
    fileprivate func lacks(_ name: ResourceName, _ request: CatalogRequest) -> Bool {
        guard let own = self.request, own.shape.subject == .batch, own.storefront == request.storefront,
            own.language == request.language,
            own.shape.relates ? request.hasPlainResources : own.shape.decoration == request.shape.decoration
        else { return false }
        return missing(of: own).contains(name) && showsAbsences(in: own, to: request)
    }
}

extension [UInt8] {
    /// Between quotation marks: ids have no bytes that need escapes.
    var quoted: [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(count + 2)
        text.append(UInt8(ascii: "\""))
        text.append(contentsOf: self)
        text.append(UInt8(ascii: "\""))
        return text
    }
}

extension Assembler {
    /// The composed answer; its detail is `reduced` where it has one part. Nil where it would be
    /// too large to be kept.
    consuming func finished(_ detail: Reason, reliesUntil: Int64) -> ComposedBody? {
        guard let body = output.joined() else { return nil }
        return ComposedBody(
            body: body, detail: used.count == 1 && detail != .window ? .reduced : detail, parts: used,
            reliesUntil: reliesUntil, contradictions: sources.contradictions, crossings: crossings)
    }

    fileprivate consuming func outcome(
        _ rule: Refusal.Rule, _ detail: Reason, reliesUntil: Int64
    ) -> CompositionOutcome {
        finished(detail, reliesUntil: reliesUntil).map { .answer($0) } ?? .impossible(Refusal(rule, .answerTooLarge))
    }
}
