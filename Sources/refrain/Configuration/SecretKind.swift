import AppleMusic
import Proxy

/// The content of a file that others may not read, as `serve` will want it.
struct SecretKind: Sendable {
    /// Throws where the file has other content.
    let check: @Sendable (_ path: String) throws -> Void

    /// A token and at most a line end after it.
    static let token = SecretKind { _ = try SecretFile.readToken($0) }
    /// A token that the operator made, and thus of a least length.
    static let adminToken = SecretKind { _ = try SecretFile.readAdminToken($0) }
    /// A private key in PEM.
    static let key = SecretKind { _ = try SecretFile.read($0, sizes: SecretFile.keySizes) }
    /// A private key that developer tokens are signed with.
    static let signingKey = SecretKind { path in
        _ = try SigningKey(pem: SecretFile.read(path, sizes: SecretFile.keySizes))
    }
    /// A client and its key a line.
    static let clientKeys = SecretKind { _ = try ClientKeys(SecretFile.read($0, sizes: SecretFile.listSizes)) }
    /// A password, or a user and a password.
    static let tierCredentials = SecretKind { _ = try TierCredentials(SecretFile.read($0)) }
}
