import AppleMusic
import HTTP
import Server

/// Why a file of client keys cannot be used.
public struct ClientKeysError: Error, Equatable, CustomStringConvertible {
    /// Counted from 1.
    public let line: Int
    public let problem: String

    public var description: String { "line \(line): \(problem)" }
}

/// The keys that clients have to present (`client_keys_file`): `name key [N/s]`, one client a line,
/// `#` begins a comment. With a rate, requests beyond it are answered 429.
///
/// A client presents its key as `X-Refrain-Key: KEY` or as `Authorization: Bearer KEY`; neither
/// goes upstream.
public struct ClientKeys: Sendable {
    /// Shorter ones could be guessed.
    private static let leastKeyBytes = 16

    /// In the order of the file.
    let clients: [Client]
    /// The file: keys stay in it.
    private let file: SecretBytes
    /// The places of the clients' keys in it, in the same order.
    private let places: [Range<Int>]
    /// The clients whose keys have this hash, which is another one in each process: a search takes
    /// no longer for many clients, and its time says nothing of any key.
    private let byHash: [Int: [Int]]

    /// - Parameter previous: the keys in force before; the counts of a client go on under the same
    ///   name.
    /// - Throws: `ClientKeysError`, which names the line and never the key.
    public init(_ file: SecretBytes, continuing previous: ClientKeys? = nil) throws(ClientKeysError) {
        // A copy without spare room: the file's buffer may have room for the largest file.
        let file = file.withUnsafeBytes { SecretBytes($0) }
        let former = Dictionary(uniqueKeysWithValues: (previous?.clients ?? []).map { ($0.name, $0) })
        var (clients, places, byHash): ([Client], [Range<Int>], [Int: [Int]]) = ([], [], [:])
        var (line, names) = (0, Set<String>())
        try file.withBytes { bytes throws(ClientKeysError) in
            for range in bytes.indices.split(omittingEmptySubsequences: false, whereSeparator: { bytes[$0] == 0x0A }) {
                line += 1
                guard let found = try Self.entry(bytes, range, line) else { continue }
                guard names.insert(found.name).inserted else {
                    throw ClientKeysError(line: line, problem: "client \(found.name) is given twice")
                }
                let (hash, twin) = bytes.extracting(found.key).withUnsafeBytes { key in
                    let hash = Self.hash(key)
                    return (hash, byHash[hash]?.first { file.holds(key, at: places[$0]) })
                }
                if let twin {
                    throw ClientKeysError(
                        line: line,
                        problem: "client \(found.name) has the same key as \(clients[twin].name)")
                }
                byHash[hash, default: []].append(clients.count)
                places.append(found.key)
                clients.append(Client(name: found.name, rate: found.rate, continuing: former[found.name]))
            }
        }
        guard !clients.isEmpty else { throw ClientKeysError(line: max(1, line), problem: "the file names no client") }
        (self.clients, self.file, self.places, self.byHash) = (clients, file, places, byHash)
    }

    /// The client of one line; nil where it names none.
    private static func entry(
        _ bytes: Span<UInt8>, _ range: Range<Int>, _ line: Int
    ) throws(ClientKeysError) -> (name: String, key: Range<Int>, rate: Int?)? {
        let words = range.split { bytes[$0] == 0x20 || bytes[$0] == 0x09 || bytes[$0] == 0x0D }
        if words.isEmpty || bytes[words[0].lowerBound] == UInt8(ascii: "#") { return nil }
        guard words.count == 2 || words.count == 3 else {
            throw ClientKeysError(line: line, problem: "expected a name, a key and optionally a rate")
        }
        let name = String(decoding: bytes.extracting(words[0]).copy(), as: UTF8.self)
        guard words[1].count >= leastKeyBytes else {
            throw ClientKeysError(
                line: line, problem: "the key of \(name) has fewer than \(leastKeyBytes) characters")
        }
        return (name, words[1], words.count == 3 ? try rate(bytes, words[2], line) : nil)
    }

    /// Whether the file names this client.
    public func names(_ client: String) -> Bool { clients.contains { $0.name == client } }

    /// The client whose key the request presents.
    func client(presenting head: RequestHead, _ bytes: Span<UInt8>) -> Client? {
        if let field = head.fields.first(.xRefrainKey) { return client(of: bytes.extracting(field.value.range)) }
        guard let token = head.bearerToken(bytes) else { return nil }
        return client(of: bytes.extracting(token))
    }

    /// Whether the request's `Authorization` is its key, or anyone else's: the origin must not see
    /// one.
    func claim(_ head: RequestHead, _ bytes: Span<UInt8>) -> Bool {
        guard head.fields.contains(.xRefrainKey) else { return true }
        return head.bearerToken(bytes).map { client(of: bytes.extracting($0)) != nil } ?? false
    }

    private func client(of key: Span<UInt8>) -> Client? {
        key.withUnsafeBytes { key in
            byHash[Self.hash(key)]?.first { file.holds(key, at: places[$0]) }.map { clients[$0] }
        }
    }

    private static func hash(_ key: UnsafeRawBufferPointer) -> Int {
        var hasher = Hasher()
        hasher.combine(bytes: key)
        return hasher.finalize()
    }

    /// `N/s`; the message does not repeat the word, which may be part of a key.
    private static func rate(
        _ bytes: Span<UInt8>, _ word: Range<Int>, _ line: Int
    ) throws(ClientKeysError) -> Int {
        let text = String(decoding: bytes.extracting(word).copy(), as: UTF8.self)
        guard text.hasSuffix("/s"), let rate = Int(text.dropLast(2)), (1...1_000_000).contains(rate) else {
            throw ClientKeysError(line: line, problem: "the third word is not a rate such as 50/s")
        }
        return rate
    }
}
