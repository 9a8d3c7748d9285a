import AppleMusic
import HTTP

/// Why a file of client keys cannot be used.
public struct ClientKeysError: Error, Equatable, CustomStringConvertible {
    /// Counted from 1.
    public let line: Int
    public let problem: String

    public var description: String { "line \(line): \(problem)" }
}

/// The keys that clients have to present (`client_keys_file`): `name key`, one client a line, `#` begins a comment.
///
/// A client presents its key as `X-Refrain-Key: KEY` or as `Authorization: Bearer KEY`; neither goes upstream.
public struct ClientKeys: Sendable {
    private struct Client: Sendable {
        let name: String
        let key: SecretBytes
    }

    /// Shorter ones could be guessed.
    public static let leastKeyBytes = 16

    private let clients: [Client]

    /// - Throws: `ClientKeysError`, which names the line and never the key.
    public init(_ file: SecretBytes) throws(ClientKeysError) {
        var clients: [Client] = []
        var line = 0
        try file.withBytes { bytes throws(ClientKeysError) in
            for range in Self.lines(bytes) {
                line += 1
                let words = Self.words(bytes, range)
                if words.isEmpty || bytes[words[0].lowerBound] == UInt8(ascii: "#") { continue }
                guard words.count == 2 else { throw ClientKeysError(line: line, problem: "expected a name and a key") }
                let name = String(decoding: bytes.extracting(words[0]).copy(), as: UTF8.self)
                guard words[1].count >= Self.leastKeyBytes else {
                    throw ClientKeysError(
                        line: line, problem: "the key of \(name) has fewer than \(Self.leastKeyBytes) characters")
                }
                guard !clients.contains(where: { $0.name == name }) else {
                    throw ClientKeysError(line: line, problem: "\(name) is there twice")
                }
                clients.append(Client(name: name, key: SecretBytes(bytes.extracting(words[1]))))
            }
        }
        guard !clients.isEmpty else { throw ClientKeysError(line: max(1, line), problem: "no client is named") }
        self.clients = clients
    }

    /// Whether the request presents a known key. Every key is compared, each in constant time.
    func admits(_ head: RequestHead, _ bytes: Span<UInt8>) -> Bool {
        if let field = head.fields.first(.xRefrainKey) { return isKnown(bytes.extracting(field.value.range)) }
        guard let token = head.bearerToken(bytes) else { return false }
        return isKnown(bytes.extracting(token))
    }

    /// Whether the request's `Authorization` was its key, which the origin must not see.
    func isPresentedAsBearer(_ head: RequestHead) -> Bool {
        !head.fields.contains(.xRefrainKey)
    }

    private func isKnown(_ key: Span<UInt8>) -> Bool {
        key.withUnsafeBytes { key in
            var isKnown = false
            for client in clients where client.key.isEqual(to: key) { isKnown = true }
            return isKnown
        }
    }

    private static func lines(_ bytes: Span<UInt8>) -> [Range<Int>] {
        var lines: [Range<Int>] = []
        var start = 0
        for index in bytes.indices where bytes[index] == UInt8(ascii: "\n") {
            lines.append(start..<index)
            start = index + 1
        }
        if start < bytes.count { lines.append(start..<bytes.count) }
        return lines
    }

    private static func words(_ bytes: Span<UInt8>, _ line: Range<Int>) -> [Range<Int>] {
        var words: [Range<Int>] = []
        var start: Int?
        for index in line {
            let isSpace = bytes[index] == 0x20 || bytes[index] == 0x09 || bytes[index] == 0x0D
            if isSpace, let begun = start {
                words.append(begun..<index)
                start = nil
            } else if !isSpace, start == nil {
                start = index
            }
        }
        if let begun = start { words.append(begun..<line.upperBound) }
        return words
    }
}
