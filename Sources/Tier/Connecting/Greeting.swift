/// The first commands on a new connection, in one pipeline, and their replies.
///
/// Nothing else is sent before they have come: a write to a replica that takes writes would be
/// lost with the next word from its master.
struct Greeting: Sendable {
    /// AUTH where there are credentials; CLIENT SETNAME, the name under which the engine lists the
    /// connection; ROLE.
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
        commands.append(RESPCommand("ROLE"))
        self.commands = commands
    }

    /// Why the engine is not to be used; nil where it is. One reply a command, in their order.
    ///
    /// The name is for people, so its reply does not matter: a user of the ACL may lack the
    /// command, and the engine takes no name with a blank.
    func verdict(_ replies: [RESPReply]) -> TierFailure? {
        precondition(replies.count == commands.count)
        if password != nil, !replies[0].isOK { return .refused(refusal("AUTH", replies[0])) }
        let role = replies[replies.count - 1]
        if role.errorCode != nil { return .refused(refusal("ROLE", role)) }
        let name = role.elements?.first?.bytes.map { String(decoding: $0, as: UTF8.self) }
        return name == "master" ? nil : .role(Self.word(name))
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
