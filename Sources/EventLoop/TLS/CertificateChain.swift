import COpenSSL
import Glibc

/// The certificates that a server shows, as clients will judge them. Clients look for no
/// certificate that is missing, and some for none that is out of order (RFC 8446, 4.4.2).
public enum CertificateChain {
    /// The first fault of the chain in a PEM file, in words; nil where there is none, or the file
    /// cannot be read. Without `anchors`, as on a machine without authorities, a chain whose last
    /// intermediate is missing has no fault: it cannot be told from a whole one.
    /// - Parameter anchors: authorities that clients have.
    public static func fault(in path: String, anchors: ClientTLS.TrustAnchors = .system) -> String? {
        guard let text = try? KeyFile.certificates(path) else { return nil }
        defer { ERR_clear_error() }
        let chain = PEM.certificates(text)
        for position in chain.indices.dropFirst() where !issued(chain[position], chain[position - 1]) {
            // Others after a whole chain are sent in vain, and no client minds.
            guard !isSelfSigned(chain[position - 1]) else { return nil }
            return gap(in: chain, at: position)
        }
        guard let last = chain.last, !isSelfSigned(last), let store = try? store(of: anchors) else { return nil }
        // A cross-signed certificate at the end is of no use to clients that know its issuer
        // better.
        guard !chain.contains(where: { copenssl_store_issues(store.pointer, $0.pointer) == 1 }) else { return nil }
        return "lacks an intermediate certificate: the issuer of the last one (\(last.issuerName)) is not among the "
            + "authorities of this machine; append its certificate, unless clients know that issuer"
    }

    /// The words for a certificate that the next one in the file did not issue.
    private static func gap(in chain: [Certificate], at position: Int) -> String {
        let subject = chain[position - 1]
        if let other = chain.indices.first(where: { issued(chain[$0], subject) }) {
            return "wrong order: certificate \(other + 1) (\(chain[other].name)) issued certificate \(position) "
                + "(\(subject.name)) and has to be the next after it"
        }
        return "lacks an intermediate certificate: certificate \(position + 1) (\(chain[position].name)) did not "
            + "issue certificate \(position) (\(subject.name)), whose issuer is \(subject.issuerName)"
    }

    /// Whether a certificate issued another, by names, key identifiers, rights and signature.
    private static func issued(_ issuer: Certificate, _ subject: Certificate) -> Bool {
        copenssl_issued(issuer.pointer, subject.pointer) == 1
    }

    private static func isSelfSigned(_ certificate: Certificate) -> Bool {
        X509_self_signed(certificate.pointer, 1) == 1
    }

    private static func store(of anchors: ClientTLS.TrustAnchors) throws(TLSError) -> TLSContext {
        let context = try TLSContext(TLS_client_method())
        try TrustStore.load(anchors, into: context.pointer) { name in getenv(name).map { String(cString: $0) } }
        return context
    }
}
