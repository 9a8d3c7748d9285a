import Simulator
import Text

// Judges an answer that is put together of parts, part by part.

/// One version of a resource: all that the API showed of it at one revision.
struct ResourceVersion {
    private static let relations =
        "albums,artists,composers,curator,genres,music-videos,playlists,radio-show,record-labels,songs,station,tracks"
    private static let extensions = "artistUrl,audioVariants,editorialVideo"

    private let attributes: JSON?
    private let lists: JSON?

    /// Nil where there was no such resource.
    init?(_ path: String, language: String?, _ past: PastAnswers, at revision: Int) {
        var target = "\(path)?relate=\(Self.relations)&extend=\(Self.extensions)"
        target += "&limit[tracks]=300&limit[albums]=100&limit[music-videos]=100"
        if let language { target += "&l=\(language)" }
        guard let resource = past.document(target, at: revision)?["data"]?[0] else { return nil }
        attributes = resource["attributes"]
        lists = resource["relationships"]
    }

    /// Whether the version has these attributes.
    func has(attributes other: JSON?) -> Bool { other.map { attributes?.holds($0) == true } ?? true }

    /// Whether the version's list begins with this one.
    func has(list: JSON, named name: String) -> Bool {
        let (shown, whole) = (list.identities, lists?[name]?.identities ?? [])
        return list["next"] == nil ? shown == whole : whole.starts(with: shown)
    }
}

/// Judges the parts of the answer to one target.
struct PartsJudge {
    private let past: PastAnswers
    /// The latest first.
    private let revisions: [Int]
    private let text: String
    private let target: SimulatorTarget
    private(set) var verdict = Judgement()
    /// The attributes of the resources that were met, by type and id.
    private var met: [String: JSON] = [:]

    init(_ past: PastAnswers, _ revisions: [Int], _ text: String) {
        self.past = past
        self.revisions = revisions
        self.text = text
        target = SimulatorTarget(Array(text.utf8))
    }

    mutating func judge(_ document: JSON) {
        switch target.elements.count {
        case 4: batch(document)
        case 5: item(document)
        default: page(document, of: text)
        }
        for item in document["data"]?.arrayValue ?? [] { resource(item) }
    }

    private mutating func differ(_ reason: String) { verdict.different.append("\(reason): \(text)") }

    /// A page has the items and the `next` that it had at one revision.
    private mutating func page(_ page: JSON, of target: String) {
        let isShown = revisions.contains { revision in
            guard let said = past.document(target, at: revision) else { return false }
            return said.identities == page.identities && said["next"] == page["next"]
        }
        if !isShown { differ("the page of \(target)") }
    }

    /// One resource has the type and id that were asked for.
    private mutating func item(_ document: JSON) {
        let wanted = "\(target.elements[3])/\(target.elements[4])"
        if document.identities != [wanted] { differ("\(document.identities) in place of \(wanted)") }
    }

    /// A batch has the resources that were asked for, each once, in that order, but for those that
    /// are gone.
    private mutating func batch(_ document: JSON) {
        let type = target.elements[3]
        var given = document.identities[...]
        for id in target.list("ids") ?? [] {
            if given.first == "\(type)/\(id)" {
                given.removeFirst()
            } else if !revisions.contains(where: { past.status("\(prefix)\(type)/\(id)", at: $0) == 404 }) {
                differ("\(type)/\(id) is missing among \(document.identities)")
            }
        }
        if let first = given.first { differ("\(first) was not asked for") }
    }

    private var prefix: String { "/v1/catalog/\(target.elements[2])/" }

    private mutating func resource(_ json: JSON) {
        let lists = json["relationships"]?.objectValue?.members ?? []
        guard let identity = json.identity, json["attributes"] != nil || !lists.isEmpty else { return }
        verdict.objects += 1
        agree(identity, json["attributes"])
        if !isOfOneRevision(identity, json["attributes"], lists.map { ($0.key, $0.value) }) {
            judgeApart(identity, json["attributes"], lists.map { ($0.key, $0.value) })
        }
        for list in lists {
            for item in list.value["data"]?.arrayValue ?? [] { resource(item) }
        }
        for view in json["views"]?.objectValue?.members ?? [] {
            if let path = view.value["href"]?.stringValue { page(view.value, of: path) }
            for item in view.value["data"]?.arrayValue ?? [] { resource(item) }
        }
    }

    /// One resource is the same at all places of an answer.
    private mutating func agree(_ identity: String, _ attributes: JSON?) {
        guard let attributes else { return }
        guard let other = met[identity] else {
            met[identity] = attributes
            return
        }
        if !other.holds(attributes), !attributes.holds(other) {
            verdict.mixed.append("\(identity) is of two revisions: \(text)")
        }
    }

    private func version(_ identity: String, at revision: Int) -> ResourceVersion? {
        ResourceVersion(prefix + identity, language: target.first("l"), past, at: revision)
    }

    private func isOfOneRevision(_ identity: String, _ attributes: JSON?, _ lists: [(String, JSON)]) -> Bool {
        revisions.contains { revision in
            guard let version = version(identity, at: revision), version.has(attributes: attributes) else {
                return false
            }
            return lists.allSatisfy { version.has(list: $1, named: $0) }
        }
    }

    /// Tells mixed revisions from invented parts.
    private mutating func judgeApart(_ identity: String, _ attributes: JSON?, _ lists: [(String, JSON)]) {
        let versions = revisions.compactMap { version(identity, at: $0) }
        let areSaid =
            versions.contains { $0.has(attributes: attributes) }
            && lists.allSatisfy { list in versions.contains { $0.has(list: list.1, named: list.0) } }
        if areSaid {
            verdict.mixed.append("\(identity) mixes revisions: \(text)")
        } else {
            differ("\(identity) was never so")
        }
    }
}

extension JSON {
    /// `type/id` of a resource.
    fileprivate var identity: String? {
        guard let type = self["type"]?.stringValue, let id = self["id"]?.stringValue else { return nil }
        return "\(type)/\(id)"
    }

    /// Identities in `data`.
    fileprivate var identities: [String] { (self["data"]?.arrayValue ?? []).map { $0.identity ?? "" } }

    /// Whether this object has all members of the other one.
    fileprivate func holds(_ other: JSON) -> Bool {
        (other.objectValue?.members ?? []).allSatisfy { self[$0.key] == $0.value }
    }
}
