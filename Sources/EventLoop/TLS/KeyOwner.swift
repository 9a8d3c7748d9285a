import COpenSSL

/// The certificate of a chain that a private key belongs to. A chain that does not begin with the
/// server's own is a frequent mistake, and OpenSSL says of it no more than that values differ.
enum KeyOwner {
    /// The words for a key that is not the first certificate's; nil where it is.
    /// - Parameters:
    ///   - file: the file of the chain.
    ///   - keyFile: the file of the key.
    static func fault(_ chain: [Certificate], _ file: String, _ key: PrivateKey, _ keyFile: String) -> TLSError? {
        defer { ERR_clear_error() }
        guard let first = chain.first, !belongs(key, first) else { return nil }
        guard let owner = chain.firstIndex(where: { belongs(key, $0) }) else {
            return TLSError("the key \(keyFile) does not belong to the first certificate of \(file) (\(first.name))")
        }
        return TLSError(
            "\(file): the first certificate is \(first.name); the key \(keyFile) belongs to certificate \(owner + 1) "
                + "(\(chain[owner].name)): the server's own has to be first")
    }

    private static func belongs(_ key: PrivateKey, _ certificate: Certificate) -> Bool {
        X509_check_private_key(certificate.pointer, key.pointer) == 1
    }
}

extension Certificate {
    /// The subject as text; unprintable bytes are escaped: `/C=US/O=Example/CN=R1`.
    var name: String { Self.text(X509_get_subject_name(pointer)) }

    /// The subject of the certificate that issued it.
    var issuerName: String { Self.text(X509_get_issuer_name(pointer)) }

    private static func text(_ name: OpaquePointer?) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            guard let start = buffer.baseAddress, X509_NAME_oneline(name, start, CInt(buffer.count)) != nil else {
                return "unnamed"
            }
            return String(cString: start)
        }
    }
}
