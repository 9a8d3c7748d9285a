/// The place of a resource in an answer.
enum HuntPlace: Sendable {
    /// In `data` of an item or a batch.
    case requested
    /// An element of the list that the path names.
    case element
    /// An element of a view inside a resource.
    case viewed
    /// Inside another resource.
    case nested
}

// The form of answers, which does not change in time: it depends on the request and the place.

extension HuntWorld {
    /// The attributes of a revision of a resource.
    func attributes(
        of name: HuntName, revision: Int, _ place: HuntPlace, in request: HuntRequest
    ) -> JSONNode {
        let language = request.language.map { " in \($0)" } ?? ""
        var members: [(name: String, value: JSONNode)] = [
            ("name", JSONNode(.string("\(name) r\(revision)\(language)"))), ("rev", JSONNode(.literal("\(revision)"))),
        ]
        if showsGenreNames(place, in: request) {
            members.append(("genreNames", JSONNode(.array([JSONNode(.string("genre \(name.id % 6)"))]))))
        }
        if request.extends, place == .requested || place == .element {
            members.append((HuntRequest.extraAttribute, JSONNode(.string("video r\(revision)"))))
        }
        return JSONNode(.object(members))
    }

    private func showsGenreNames(_ place: HuntPlace, in request: HuntRequest) -> Bool {
        switch traits.placement {
        case .everywhere: true
        case .requested: place == .requested
        case .alone: place == .requested && request.isItem
        case .outsideSongs: place != .nested || request.type != .songs
        }
    }

    /// The relationships that a resource shows, and whether with whole resources or their ids.
    func relations(of type: HuntType, _ place: HuntPlace, in request: HuntRequest) -> [HuntRelation: Bool] {
        var byID: Set<HuntRelation> = []
        var whole: Set<HuntRelation> = []
        switch place {
        case .requested:
            if type == .albums || type == .songs { byID.insert(.artists) }
            if type == .artists || type == .songs { byID.insert(.albums) }
            if traits.isBare { byID = [] }
            if type == .albums || type == .playlists { whole.insert(.tracks) }
            if traits.addsGenres, request.includes[""] != nil { byID.insert(.genres) }
        case .element, .viewed:
            if type == .artists { byID.insert(.albums) }
        case .nested:
            if type == .artists, nestsAlbums(in: request) { byID.insert(.albums) }
        }
        let isInScope = place == .requested || place == .element
        for scope in [isInScope ? "" : nil, type.rawValue].compactMap({ $0 }) {
            whole.formUnion(request.includes[scope] ?? [])
            byID.formUnion(request.relates[scope] ?? [])
        }
        let found = Dictionary(uniqueKeysWithValues: byID.map { ($0, false) })
            .merging(whole.map { ($0, true) }) { $0 || $1 }
        return found.filter { type.relations.contains($0.key) }
    }

    private func nestsAlbums(in request: HuntRequest) -> Bool {
        switch traits.nesting {
        case .never: false
        case .always: true
        case .inBatches: request.asked != nil
        case .inPairs: (request.asked ?? []).count > 1
        case .inSongs: request.type == .songs
        case .besideGenres: request.includesGenres
        case .inOneStorefront: request.storefront == "us"
        }
    }

    /// The most elements of a list inside a resource.
    func inlineLimit(of list: HuntList, _ place: HuntPlace, in request: HuntRequest) -> Int {
        let standard = list.relation.standardLimit(of: list.parent.type)
        return traits.shortensLists && place == .requested && request.asked != nil ? min(standard, 5) : standard
    }

    /// The views that a resource shows.
    func views(of type: HuntType, _ place: HuntPlace, in request: HuntRequest) -> [HuntRelation] {
        place == .requested && request.isItem ? request.views.filter { type.views.contains($0) } : []
    }

    /// The place of the elements of a list inside a resource.
    func place(in relation: HuntRelation) -> HuntPlace { relation.isView ? .viewed : .nested }

    func path(of name: HuntName, in request: HuntRequest) -> String { "/v1/catalog/\(request.storefront)/\(name)" }

    func link(_ path: String, in request: HuntRequest, offset: Int? = nil) -> JSONNode {
        let query = [request.language.map { "l=\($0)" }, offset.map { "offset=\($0)" }].compactMap { $0 }
        return JSONNode(.string(query.isEmpty ? path : "\(path)?\(query.joined(separator: "&"))"))
    }

    /// The members of a view beside its elements and links.
    func ownMembers(of relation: HuntRelation) -> [(name: String, value: JSONNode)] {
        guard relation.isView else { return [] }
        return [("attributes", JSONNode(.object([("title", JSONNode(.string(relation.name)))])))]
    }

    /// The resource that an id of a request names.
    func name(_ type: HuntType, _ id: String) -> HuntName {
        let own = traits.hasAliases && id.hasPrefix(Self.aliasPrefix) ? String(id.dropFirst(2)) : id
        return HuntName(type, Int(own) ?? 0)
    }

    /// Before an id that is another name of a resource.
    static let aliasPrefix = "77"

    /// The resources that a batch asks for, in the order of the answer. One that has two names in
    /// it comes once.
    func asked(_ request: HuntRequest) -> [HuntName] {
        var seen: Set<HuntName> = []
        let names = (request.asked ?? []).map { name(request.type, $0) }
        return traits.hasAliases ? names.filter { seen.insert($0).inserted } : names
    }
}
