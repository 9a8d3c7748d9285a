import EventLoop

/// The first commands on a new connection, in one pipeline, and their replies.
///
/// Nothing else is sent before they have come: a write to a replica that takes writes would be
/// lost with the next word from its master.
struct Greeting: Sendable {
    /// Result of the replies.
    enum Verdict: Sendable, Equatable {
        case usable
        /// Another node of the cluster owns the keys.
        case moved(SlotOwner)
        case unusable(TierFailure)
    }

    /// AUTH where there are credentials; CLIENT SETNAME, the name under which the engine lists the
    /// connection; ROLE; the read of a key, which a node of a cluster refuses if another one owns
    /// the keys.
    let commands: [RESPCommand]
    /// Nil without credentials.
    private let password: [UInt8]?

    init(_ settings: TierSettings) {
        var commands: [RESPCommand] = []
        if let password = settings.password {
            commands.append(RESPCommand([Array("AUTH".utf8)] + (settings.user.map { [$0] } ?? []) + [password]))
        }
        password = settings.password
        commands.append(RESPCommand("CLIENT", "SETNAME", "refrain-\(settings.nodeName)"))
        commands += [RESPCommand("ROLE"), RESPCommand("MGET", TierKeys(prefix: settings.keyPrefix).epoch)]
        self.commands = commands
    }

    /// Whether the engine is to be used. One reply a command, in their order.
    ///
    /// The name is for people, so its reply does not matter: a user of the ACL may lack the
    /// command, and the engine takes no name with a blank.
    /// - Parameter node: has sent the replies.
    func verdict(_ replies: [RESPReply], of node: Endpoint) -> Verdict {
        precondition(replies.count == commands.count)
        let (role, key) = (replies[replies.count - 2], replies[replies.count - 1])
        let name = role.elements?.first?.bytes.map { String(decoding: $0, as: UTF8.self) }
        // It also refuses AUTH, which says less.
        if name == "sentinel" { return .unusable(.sentinel) }
        if password != nil, !replies[0].isOK { return .unusable(.refused(refusal("AUTH", replies[0]))) }
        // A replica, too, names the owner.
        if let owner = SlotOwner(key, from: node) { return .moved(owner) }
        if role.errorCode != nil { return .unusable(.refused(refusal("ROLE", role))) }
        guard name == "master" else { return .unusable(.role(Self.word(name))) }
        return key.errorCode == nil ? .usable : .unusable(.refused(refusal("MGET", key)))
    }

    /// The engine's word for a connection beyond its limit, in place of the first reply; it closes
    /// the connection then.
    func verdict(first reply: RESPReply) -> TierFailure? {
        guard case .error(let code, let text) = reply else { return nil }
        let refusal = EngineRefusal("connect", code: code, text: text)
        return refusal.kind == .maxclients ? .refused(refusal) : nil
    }

    /// An error that repeats the password loses its text.
    private func refusal(_ command: String, _ reply: RESPReply) -> EngineRefusal {
        guard case .error(let code, let text) = reply else {
            return EngineRefusal(command, code: "an unexpected reply", text: "")
        }
        let isSecret = password.map { text.contains(String(decoding: $0, as: UTF8.self)) } ?? false
        return EngineRefusal(command, code: code, text: isSecret ? "" : text)
    }

    /// The engine's word, if it can be written to a log.
    private static func word(_ text: String?) -> String {
        guard let text, (1...32).contains(text.utf8.count), text.utf8.allSatisfy(isLetter) else { return "unknown" }
        return text
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}
