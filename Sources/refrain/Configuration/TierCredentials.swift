import AppleMusic

/// Why a file of `shared_tier_auth_file` cannot be used: nothing of what is in it.
struct TierCredentialsError: Error, Equatable, CustomStringConvertible {
    /// Counted from 1.
    let line: Int
    let problem: String

    var description: String { "line \(line): \(problem)" }
}

/// Whom the engines of the shared tier let in: one line with the arguments of Redis's AUTH, which
/// are `PASSWORD` or `USER PASSWORD`. `#` begins a comment line.
struct TierCredentials: Sendable {
    /// Nil for the engine's default user.
    let user: SecretBytes?
    let password: SecretBytes

    init(_ file: SecretBytes) throws(TierCredentialsError) {
        self = try file.withUnsafeBytes { bytes throws(TierCredentialsError) in
            var found: TierCredentials?
            let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            for (index, line) in lines.enumerated() {
                let words = line.split { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }.map(
                    UnsafeRawBufferPointer.init(rebasing:))
                guard let first = words.first, first[0] != UInt8(ascii: "#") else { continue }
                guard found == nil else {
                    throw TierCredentialsError(line: index + 1, problem: "a second line that is no comment")
                }
                guard words.count <= 2 else {
                    throw TierCredentialsError(
                        line: index + 1, problem: "expected a password, or a user and a password")
                }
                found = TierCredentials(
                    user: words.count == 2 ? SecretBytes(first) : nil, password: SecretBytes(words[words.count - 1]))
            }
            guard let credentials = found else {
                throw TierCredentialsError(line: 1, problem: "no password is there")
            }
            return credentials
        }
    }

    private init(user: SecretBytes?, password: SecretBytes) {
        self.user = user
        self.password = password
    }
}
