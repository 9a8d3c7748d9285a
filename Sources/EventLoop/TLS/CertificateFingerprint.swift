import COpenSSL

/// Tells the certificates of a file apart from others, whatever text is around them.
public struct CertificateFingerprint: Hashable, Sendable {
    /// SHA-256 of each certificate, in their order.
    private let digests: [UInt8]

    init(digests: [UInt8]) {
        self.digests = digests
    }

    init(_ certificates: [Certificate]) {
        digests = certificates.flatMap { certificate in
            var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
            // It cannot fail for a certificate that has been read.
            X509_digest(certificate.pointer, EVP_sha256(), &digest, nil)
            return digest
        }
    }

    /// Reads a PEM file. Throws where that is not possible, or the file has no certificate.
    public init(ofFile path: String) throws(TLSError) {
        let certificates = PEM.certificates(try KeyFile.certificates(path))
        guard !certificates.isEmpty else { throw TLSError("\(path): no certificate found") }
        self.init(certificates)
    }
}
