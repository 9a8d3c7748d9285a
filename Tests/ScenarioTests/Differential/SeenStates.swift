@testable import Simulator

/// The states of resources and lists that the origin has shown to the proxy, while they are fresh.
///
/// Answers are read when a state of their storefront and parameters is asked for, because most are
/// never needed.
final class SeenStates {
    /// A state of a resource, or of a page of a list.
    struct State {
        /// A resource object or a page; nil where the origin said that there is none.
        let shown: JSONNode?
        /// Where the page begins.
        var offset = 0
        let revision: Int
        /// The place of the answer in the order of all.
        let position: Int
        /// Unix seconds.
        let freshUntil: Int64
    }

    private typealias Waiting = (entry: OriginLog.Entry, position: Int)

    private let oracle: Oracle
    /// How long an answer is fresh, by its target and status, in seconds.
    private let lifetime: (OriginLog.Entry) -> Int
    private var next = 0
    private var waiting: [String: [Waiting]] = [:]
    private var states: [String: [State]] = [:]
    /// Answers that named a resource, in whatever form.
    private var sights: [String: [State]] = [:]
    private var lastSweep: Int64 = 0

    init(_ oracle: Oracle, lifetime: @escaping (OriginLog.Entry) -> Int) {
        (self.oracle, self.lifetime) = (oracle, lifetime)
    }

    /// Adds the answers that came next.
    func add(_ entries: [OriginLog.Entry]) {
        for entry in entries {
            if let circumstances = SimulatorTarget(Array(entry.target.utf8)).circumstances {
                waiting[circumstances, default: []].append((entry, next))
            }
            next += 1
        }
    }

    /// Forgets everything: the proxy may have lost it.
    func forget() { (waiting, states, sights) = ([:], [:], [:]) }

    /// Forgets states that are no longer fresh, once in a while.
    func sweep(at now: Int64) {
        guard now - lastSweep >= 30 else { return }
        lastSweep = now
        waiting = waiting.mapValues { $0.filter { $0.entry.unixSeconds + Int64(lifetime($0.entry)) > now } }
        func fresh(_ all: [State]) -> [State]? {
            let fresh = all.filter { $0.freshUntil > now }
            return fresh.isEmpty ? nil : fresh
        }
        (states, sights) = (states.compactMapValues(fresh), sights.compactMapValues(fresh))
    }

    /// The fresh states of a resource before a position, the latest first.
    func states(of identity: String, in circumstances: String, before position: Int, at now: Int64) -> [State] {
        read(circumstances)
        return fresh(Self.key(circumstances, identity), position, now)
    }

    /// The latest fresh answer before a position that named a resource of a storefront, be it by
    /// its id alone or with other parameters.
    func observation(of identity: String, in storefront: String, before position: Int, at now: Int64) -> State? {
        for circumstances in waiting.keys where Self.storefront(circumstances) == storefront { read(circumstances) }
        return (sights[Self.key(storefront, identity)] ?? []).filter { $0.position < position && $0.freshUntil > now }
            .max { $0.position < $1.position }
    }

    static func storefront(_ circumstances: String) -> String { String(circumstances.prefix { $0 != "&" }) }

    /// The fresh pages of a list before a position, the latest first.
    func pages(
        of path: String, include: String, in circumstances: String, before position: Int, at now: Int64
    ) -> [State] {
        read(circumstances)
        return fresh(Self.key(circumstances, path, include), position, now)
    }

    private func fresh(_ key: String, _ position: Int, _ now: Int64) -> [State] {
        (states[key] ?? []).reversed().filter { $0.position < position && $0.freshUntil > now }
    }

    private static func key(_ parts: String...) -> String { parts.joined(separator: " ") }
}

// MARK: - Reading

extension SeenStates {
    private func read(_ circumstances: String) {
        for one in waiting.removeValue(forKey: circumstances) ?? [] { read(one, circumstances) }
    }

    private func read(_ one: Waiting, _ circumstances: String) {
        let entry = one.entry
        let target = SimulatorTarget(Array(entry.target.utf8))
        func state(_ shown: JSONNode?, _ offset: Int = 0) -> State {
            State(
                shown: shown, offset: offset, revision: entry.revision.catalog, position: one.position,
                freshUntil: entry.unixSeconds + Int64(lifetime(entry)))
        }
        func note(_ shown: JSONNode?, offset: Int = 0, _ key: String) {
            states[key, default: []].append(state(shown, offset))
        }
        guard let document = document(entry) else {
            if let item = target.item { note(nil, Self.key(circumstances, item)) }
            return
        }
        objects(in: document) { object, identity in
            if object.showsResource { note(object, Self.key(circumstances, identity)) }
            sights[Self.key(Self.storefront(circumstances), identity), default: []].append(state(object))
        }
        // Clean twins have other ids than were asked for.
        if target.first("restrict") == nil {
            let absent = Set(target.asked ?? []).subtracting(document.elementNames)
            for identity in absent { note(nil, Self.key(circumstances, identity)) }
        }
        if let path = target.listPath {
            let offset = target.first("offset").flatMap(Int.init) ?? 0
            note(document, offset: offset, Self.key(circumstances, path, target.includeInOrder))
        }
        guard target.item != nil || target.asked != nil else { return }
        for element in document["data"]?.elements ?? [] {
            for list in element.lists where list.value["data"] != nil {
                note(list.value, Self.key(circumstances, "\(element.identity ?? "?")/\(list.path)", ""))
            }
        }
    }

    /// Nil for a 404.
    private func document(_ entry: OriginLog.Entry) -> JSONNode? {
        guard entry.status != 404 else { return nil }
        var body = entry.body
        if entry.status == 304 {
            body = Array(oracle.saying(OracleRequest(target: entry.target), at: entry.revision).body)
        }
        return try? JSONNode.parse(body)
    }

    /// All resource objects and identifiers, wherever they are nested.
    private func objects(in node: JSONNode, _ body: (JSONNode, String) -> Void) {
        if let identity = node.identity { body(node, identity) }
        for child in node.members.map(\.value) + node.elements { objects(in: child, body) }
    }
}
