/// An engine's refusal of a command, in its own words.
package struct EngineRefusal: Sendable, Equatable {
    /// Kinds of refusals, by the first word of the engine's error.
    package enum Kind: String, CaseIterable, Sendable {
        /// The engine is full and evicts nothing.
        case oom
        /// It cannot write its snapshot or its file.
        case misconf
        /// It follows another engine, or has lost the one that it follows.
        case readonly
        /// It has fewer replicas than `min-replicas-to-write`.
        case noreplicas
        /// The user of the ACL lacks the command or the key.
        case noperm
        /// It does not accept the credentials, or there are none.
        case auth
        case maxclients
        /// It reads its file, or a script keeps it busy.
        case busy
        /// It is a node of a cluster, and does not serve the keys now.
        case cluster
        /// Any other word.
        case other
    }

    /// Name of the command; `connect` for a refused connection.
    let command: String
    package let kind: Kind
    /// The error on one line, without the words of the command that some errors repeat.
    package let words: String

    /// Nil for a reply that is no refusal: data, or an error by which an engine says that it has
    /// no such script or stream.
    init?(_ command: [UInt8], _ reply: RESPReply) {
        guard let (code, text) = reply.anyError, code != "NOSCRIPT", text != "no such key" else { return nil }
        self.init(String(decoding: command, as: UTF8.self), code: code, text: text)
    }

    init(_ command: String, code: String, text: String) {
        let kind = Kind(code: code, text: text)
        self.command = kind == .maxclients ? "connect" : command
        self.kind = kind
        words = Self.line(text.isEmpty ? code : code + " " + text)
    }

    /// Bytes after which `words` are cut.
    static let mostBytes = 160
    /// Engines repeat the words of a command that they do not know; one may be a password or data.
    private static let repetition = ", with args"

    private static func line(_ text: String) -> String {
        let end = text.firstRange(of: repetition)?.lowerBound ?? text.endIndex
        var line = ""
        for scalar in text[..<end].unicodeScalars {
            guard line.utf8.count < mostBytes else { return line + "..." }
            line.unicodeScalars.append(scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value) ? "?" : scalar)
        }
        return line
    }
}

extension EngineRefusal.Kind {
    private static let codes: [String: Self] = [
        "OOM": .oom, "MISCONF": .misconf, "READONLY": .readonly, "MASTERDOWN": .readonly, "NOREPLICAS": .noreplicas,
        "NOPERM": .noperm, "NOAUTH": .auth, "WRONGPASS": .auth, "LOADING": .busy, "BUSY": .busy,
        "CROSSSLOT": .cluster, "MOVED": .cluster, "ASK": .cluster, "TRYAGAIN": .cluster, "CLUSTERDOWN": .cluster,
    ]

    /// Redis 6 gives an error inside a script as `ERR ... -OOM ...`, and a connection beyond
    /// `maxclients` as a plain `ERR`.
    fileprivate init(code: String, text: String) {
        if let kind = Self.codes[code] {
            self = kind
        } else if code == "ERR", text.hasPrefix("max number of clients") {
            self = .maxclients
        } else if code == "ERR", let kind = Self.codes.first(where: { text.contains("-\($0.key) ") })?.value {
            self = kind
        } else {
            self = .other
        }
    }

    /// Whether it concerns all writes: one that is accepted shows that it is over.
    var isOfAllWrites: Bool {
        switch self {
        case .oom, .misconf, .readonly, .noreplicas, .busy, .cluster: true
        case .noperm, .auth, .maxclients, .other: false
        }
    }
}

extension RESPReply {
    /// The error that it is, or the first among its elements.
    fileprivate var anyError: (code: String, text: String)? {
        switch self {
        case .error(let code, let text): return (code, text)
        case .array(let elements?):
            for case .error(let code, let text) in elements { return (code, text) }
            return nil
        case .simple, .integer, .bulk, .array: return nil
        }
    }
}
