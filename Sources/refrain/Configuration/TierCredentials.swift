import AppleMusic

/// Credentials for the engines of the shared tier: one line with the arguments of Redis's AUTH,
/// `PASSWORD` or `USER PASSWORD`. `#` begins a comment line. Errors hold nothing of the file.
struct TierCredentials: Sendable {
    /// Nil for the engine's default user.
    let user: SecretBytes?
    let password: SecretBytes
}

extension TierCredentials {
    init(_ file: SecretBytes) throws(FileProblem) {
        self = try file.withUnsafeBytes { bytes throws(FileProblem) in
            var found: TierCredentials?
            let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            for (index, line) in lines.enumerated() {
                let words = line.split { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }.map(
                    UnsafeRawBufferPointer.init(rebasing:))
                guard let first = words.first, first[0] != UInt8(ascii: "#") else { continue }
                guard found == nil else {
                    throw FileProblem("line \(index + 1): more than one line of credentials")
                }
                guard words.count <= 2 else {
                    throw FileProblem("line \(index + 1): expected a password, or a user and a password")
                }
                found = TierCredentials(
                    user: words.count == 2 ? SecretBytes(first) : nil, password: SecretBytes(words[words.count - 1]))
            }
            guard let found else { throw FileProblem("no password in the file") }
            return found
        }
    }
}
