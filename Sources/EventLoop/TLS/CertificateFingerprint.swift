import COpenSSL

/// Tells the certificates of a file apart from others, whatever text is around them.
public struct CertificateFingerprint: Hashable, Sendable {
    /// The digests of `sha256`, one after another.
    private let digests: [UInt8]

    /// SHA-256 of each certificate, in their order.
    package var sha256: [[UInt8]] {
        let length = Int(SHA256_DIGEST_LENGTH)
        return stride(from: 0, to: digests.count, by: length).map { Array(digests[$0...].prefix(length)) }
    }

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
