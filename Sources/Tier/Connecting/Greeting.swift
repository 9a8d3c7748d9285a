/// The first commands on a new connection, in one pipeline, and their replies.
///
/// Nothing else is sent before they have come: a write to a replica that takes writes would be
/// lost with the next word from its master.
struct Greeting: Sendable {
    /// AUTH where there are credentials; CLIENT SETNAME, the name under which the engine lists the
    /// connection; ROLE.
    let commands: [RESPCommand]
    private let hasCredentials: Bool

    init(_ settings: TierSettings) {
        var commands: [RESPCommand] = []
        if let password = settings.password {
            commands.append(RESPCommand([Array("AUTH".utf8)] + (settings.user.map { [$0] } ?? []) + [password]))
        }
        hasCredentials = !commands.isEmpty
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
        if hasCredentials, !replies[0].isOK { return .refused(Self.word(replies[0].errorCode)) }
        let role = replies[replies.count - 1]
        if let code = role.errorCode { return .refused(Self.word(code)) }
        let name = role.elements?.first?.bytes.map { String(decoding: $0, as: UTF8.self) }
        return name == "master" ? nil : .role(Self.word(name))
    }

    /// The engine's error, if it is a word that can be written to a log.
    private static func word(_ text: String?) -> String {
        guard let text, (1...32).contains(text.utf8.count), text.utf8.allSatisfy(isLetter) else { return "unknown" }
        return text
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}
