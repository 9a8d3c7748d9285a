import COpenSSL
import Glibc

/// When a certificate is valid, in Unix seconds.
public struct CertificateValidity: Sendable, Equatable {
    /// The first second.
    public let begins: Int64
    /// The last second.
    public let ends: Int64

    /// Validity of each certificate of a PEM file, in order; none where it cannot be read.
    public static func all(in path: String) -> [CertificateValidity] {
        (try? KeyFile.certificates(path)).map { all(of: PEM.certificates($0)) } ?? []
    }

    static func all(of certificates: [Certificate]) -> [CertificateValidity] {
        certificates.compactMap(CertificateValidity.init)
    }

    private init?(_ certificate: Certificate) {
        guard let begins = Self.seconds(X509_get0_notBefore(certificate.pointer)),
            let ends = Self.seconds(X509_get0_notAfter(certificate.pointer))
        else { return nil }
        (self.begins, self.ends) = (begins, ends)
    }

    private static func seconds(_ time: UnsafePointer<ASN1_TIME>?) -> Int64? {
        var parts = tm()
        guard let time, ASN1_TIME_to_tm(time, &parts) == 1 else { return nil }
        return Int64(timegm(&parts))
    }
}
