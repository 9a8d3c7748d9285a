/// A command to the engine: its name and its arguments, each of any bytes.
///
/// It is written as an array of bulks, the only form in which an argument may hold any bytes:
/// nothing in a key or a value can end it early or begin another command.
struct RESPCommand: Sendable, Equatable {
    let words: [[UInt8]]

    /// The name first; there is at least that.
    init(_ words: [[UInt8]]) {
        precondition(!words.isEmpty, "a command has a name")
        self.words = words
    }

    /// Words that are text or bytes: `RESPCommand("SET", key, value)`.
    init(_ words: any RESPWord...) { self.init(words.map(\.wordBytes)) }

    /// Size on the wire, in bytes.
    var byteCount: Int {
        words.reduce(3 + "\(words.count)".utf8.count) { $0 + 5 + "\($1.count)".utf8.count + $1.count }
    }

    /// Appends it as it is sent.
    func append(to bytes: inout [UInt8]) {
        Self.appendHead(UInt8(ascii: "*"), words.count, to: &bytes)
        for word in words {
            Self.appendHead(UInt8(ascii: "$"), word.count, to: &bytes)
            bytes += word
            bytes += "\r\n".utf8
        }
    }

    /// The commands one after the other, in memory of exactly their size.
    static func pipeline(_ commands: [RESPCommand]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(commands.reduce(0) { $0 + $1.byteCount })
        for command in commands { command.append(to: &bytes) }
        return bytes
    }

    private static func appendHead(_ kind: UInt8, _ count: Int, to bytes: inout [UInt8]) {
        bytes.append(kind)
        bytes += "\(count)".utf8
        bytes += "\r\n".utf8
    }
}

/// A word of a command: text, or bytes as they are.
protocol RESPWord {
    var wordBytes: [UInt8] { get }
}

extension String: RESPWord {
    var wordBytes: [UInt8] { Array(utf8) }
}

extension [UInt8]: RESPWord {
    var wordBytes: [UInt8] { self }
}

/// The name alone: an argument may be a secret or a user's.
extension RESPCommand: CustomStringConvertible {
    var description: String {
        "\(String(decoding: words[0], as: UTF8.self)) with \(words.count - 1) arguments"
    }
}
