import AppleMusic
import Cache

// Builds the answer to a request out of what is stored, in the form in which the origin was seen to
// answer (DECISIONS 9.1). Must hold: no form that was not seen; no part that is not fresh; nothing
// that is not byte for byte the origin's, but for the punctuation between parts.

package struct Composer {
    private let settings: CompositionSettings
    private let forms: LearntForms
    /// How long "not found" counts, in seconds; 0 where it is not kept.
    private let notFoundFor: Int
    /// Of the class of what is asked for.
    private let rule: TTLRule

    /// - Parameters:
    ///   - notFoundFor: how long "not found" counts, in seconds; 0 where it is not kept.
    ///   - rule: of the class of what is asked for.
    package init(settings: CompositionSettings, forms: LearntForms, notFoundFor: Int, rule: TTLRule) {
        self.settings = settings
        self.forms = forms
        self.notFoundFor = notFoundFor
        self.rule = rule
    }

    /// - Parameter sources: as they are now.
    package func compose(_ request: CatalogRequest, _ sources: StoredSources, at now: Int64) -> CompositionOutcome {
        let outcome = attempt(request, sources, at: now)
        guard case .answer(let body) = outcome else { return outcome }
        return body.limited(by: rule, notFoundFor: notFoundFor, at: now).map { .answer($0) } ?? .impossible
    }

    private func attempt(_ request: CatalogRequest, _ sources: StoredSources, at now: Int64) -> CompositionOutcome {
        guard let record = forms.record(request.shape, at: now), record.envelope == 0 else { return .impossible }
        let assembler = Assembler(sources, for: request, forms: forms, at: now)
        switch request.shape.subject {
        case .item where settings.compose != .off: return composeItem(request, record, assembler, at: now)
        case .batch where settings.compose != .off: return composeBatch(request, record, assembler, at: now)
        case .list where settings.windows:
            guard let list = request.listNumber,
                let cutter = WindowCutter(
                    request, record, forms, completingNext: settings.completesNext, at: now)
            else { return .impossible }
            return cutter.cut(list, assembler)
        default: return .impossible
        }
    }

    private func composeItem(
        _ request: CatalogRequest, _ record: FormRecord, _ empty: consuming Assembler, at now: Int64
    ) -> CompositionOutcome {
        var assembler = empty
        guard let name = request.resources.first, let shape = record.objects[name.type] else { return .impossible }
        assembler.append("{\"data\":[")
        switch assembler.write(name.number, name.type, id: name.id.quoted[...], shape, .item) {
        case .done:
            assembler.append("]}")
            return .answer(assembler.finished(.composed, reliesUntil: record.countsUntil))
        case .lacking: return supplement(request, assembler.missing)
        case .impossible: return .impossible
        }
    }

    private func composeBatch(
        _ request: CatalogRequest, _ record: FormRecord, _ empty: consuming Assembler, at now: Int64
    ) -> CompositionOutcome {
        var assembler = empty
        guard let names = record.duplicates.applied(to: request.resources), record.keepsOrder || names.count == 1,
            record.takes(request)
        else { return .impossible }
        assembler.append("{\"data\":[")
        let start = assembler.output.count
        var reliesUntil = record.countsUntil
        var (missing, lacking) = ([ResourceName](), 0)
        for name in names {
            let mark = assembler.output.count
            if mark > start { assembler.append(",") }
            let writing =
                record.objects[name.type].map { shape in
                    assembler.write(name.number, name.type, id: name.id.quoted[...], shape, .batched)
                } ?? .impossible
            if writing == .done { continue }
            assembler.rewind(to: mark)
            if writing == .impossible, let until = absence(of: name, request, &assembler, at: now) {
                reliesUntil = min(reliesUntil, until)
            } else {
                if !missing.contains(name) { missing.append(name) }
                if writing == .lacking { lacking += 1 }
            }
        }
        guard missing.isEmpty else {
            // Where all that is missing are elements, they come alone; else whole resources do,
            // with their elements.
            if lacking == names.count { return supplement(request, assembler.missing) }
            guard missing.count < Set(names).count else { return .impossible }
            return .partial(Supplement(target: request.target(resources: missing)))
        }
        // Nothing at all was found: then there is no part whose fields the answer could have.
        guard !assembler.used.isEmpty else { return .impossible }
        assembler.append("]}")
        return .answer(assembler.finished(.split, reliesUntil: reliesUntil))
    }

    /// Until when it is known that the resource is absent: a fresh batch that asked for it had
    /// none.
    private func absence(
        of name: ResourceName, _ request: CatalogRequest, _ assembler: inout Assembler, at now: Int64
    ) -> Int64? {
        for (part, place) in assembler.places(request.indexNumber(ofResource: name.number)) where place.kind == .absence
        {
            let until = part.response.receivedAt + Int64(notFoundFor)
            guard until > now, part.lacks(name, request) else { continue }
            assembler.use(part)
            return until
        }
        return nil
    }
}

// MARK: - What to fetch

extension Composer {
    /// The elements that relationships lack, where one request brings them all.
    private func supplement(_ request: CatalogRequest, _ missing: [MissingResource]) -> CompositionOutcome {
        guard let type = missing.first?.type, missing.allSatisfy({ $0.type == type }) else { return .impossible }
        let ids = Array(Set(missing.map(\.id))).sorted { $0.lexicographicallyPrecedes($1) }
        guard ids.count <= CatalogRequest.mostIDs(type) else { return .impossible }
        return .partial(Supplement(target: request.target(relatedType: type, ids: ids)))
    }
}

extension StoredSource {
    /// Whether it answers a batch that asked for the resource, in the same circumstances, and has
    /// it not.
    fileprivate func lacks(_ name: ResourceName, _ request: CatalogRequest) -> Bool {
        guard let own = self.request, own.shape.subject == .batch, own.storefront == request.storefront,
            own.language == request.language, own.shape.decoration == request.shape.decoration
        else { return false }
        return own.resources.contains(name) && !document.primary.contains { $0.number == name.number }
    }
}

extension FormRecord {
    /// Unix seconds until which what is known counts.
    var countsUntil: Int64 { lastSeen + Int64(freshFor) }
}

extension [UInt8] {
    /// Between quotation marks: ids have no byte that would need an escape.
    fileprivate var quoted: [UInt8] { [UInt8(ascii: "\"")] + self + [UInt8(ascii: "\"")] }
}

extension Assembler {
    /// The same body as in an answer of the origin's.
    consuming func finished(like example: StoredResponse, reliesUntil: Int64) -> ComposedBody {
        ComposedBody(body: example.body, example: example, detail: .window, parts: used, reliesUntil: reliesUntil)
    }

    /// What was built. Made of one answer alone it is a smaller form of that (`reduced`).
    consuming func finished(_ detail: Reason, reliesUntil: Int64) -> ComposedBody {
        ComposedBody(
            body: output.joined(), detail: used.count == 1 && detail != .window ? .reduced : detail, parts: used,
            reliesUntil: reliesUntil)
    }
}
