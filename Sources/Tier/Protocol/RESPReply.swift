/// A reply of the engine in RESP2, the version that Redis and Valkey speak unless a client asks for
/// another (redis.io, "Redis serialization protocol specification").
enum RESPReply: Sendable, Equatable {
    /// `+OK`: a word or two of the engine's own, never data.
    case simple(String)
    /// `-WRONGTYPE Operation against ...`: the first word, by which a program decides, and a text
    /// for people. A script's own error may have any first word.
    case error(code: String, text: String)
    /// `:1000`
    case integer(Int64)
    /// `$3`: bytes of any kind; nil for `$-1`, where there is no such key.
    case bulk([UInt8]?)
    /// `*2`: further replies; nil for `*-1`, where a transaction was given up or a wait has ended.
    case array([RESPReply]?)

    /// The bytes of a bulk that is there; nil for everything else.
    var bytes: [UInt8]? {
        if case .bulk(let bytes) = self { bytes } else { nil }
    }

    /// The number; nil for everything else.
    var number: Int64? {
        if case .integer(let number) = self { number } else { nil }
    }

    /// The elements of an array that is there; nil for everything else.
    var elements: [RESPReply]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// The first word of an error; nil for everything else.
    var errorCode: String? {
        if case .error(let code, _) = self { code } else { nil }
    }

    /// Whether it says that there is nothing: no such key, or no array.
    var isNil: Bool { self == .bulk(nil) || self == .array(nil) }

    /// Whether it is the simple string `OK`, with which most writes are answered.
    var isOK: Bool { self == .simple("OK") }

    /// Appends it as it is on the wire: for engines in tests, and to read a reply again. A simple
    /// string or an error must have no line end, which would begin another reply.
    func append(to bytes: inout [UInt8]) {
        switch self {
        case .simple(let text): Self.appendLine("+", text, to: &bytes)
        case .error(let code, let text): Self.appendLine("-", text.isEmpty ? code : "\(code) \(text)", to: &bytes)
        case .integer(let number): Self.appendLine(":", "\(number)", to: &bytes)
        case .bulk(nil): Self.appendLine("$", "-1", to: &bytes)
        case .bulk(let content?):
            Self.appendLine("$", "\(content.count)", to: &bytes)
            bytes += content
            bytes += "\r\n".utf8
        case .array(nil): Self.appendLine("*", "-1", to: &bytes)
        case .array(let elements?):
            Self.appendLine("*", "\(elements.count)", to: &bytes)
            for element in elements { element.append(to: &bytes) }
        }
    }

    private static func appendLine(_ kind: String, _ text: String, to bytes: inout [UInt8]) {
        bytes += kind.utf8
        bytes += text.utf8
        bytes += "\r\n".utf8
    }
}
