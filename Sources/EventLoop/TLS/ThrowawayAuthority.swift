import COpenSSL
import Glibc

/// A certificate authority that exists in memory alone, for tests and for a simulated origin over
/// TLS.
///
/// EC P-256 with SHA-256 throughout. The authority and its leaves are valid from an hour ago for a
/// week.
public struct ThrowawayAuthority: Sendable {
    /// A certificate with its key, both PEM.
    public struct Leaf: Sendable {
        /// The leaf, followed by the certificates that the server sends with it.
        public let certificatePEM: String
        /// PKCS#8, not encrypted.
        public let keyPEM: String
    }

    let leaf: Leaf
    private let name: String

    /// Makes a key and a self-signed certificate.
    public init() throws(TLSError) {
        try self.init(name: "Refrain throwaway authority")
    }

    init(name: String, parent: ThrowawayAuthority? = nil) throws(TLSError) {
        self.name = name
        var profile = LeafProfile()
        profile.commonName = name
        profile.isAuthority = true
        leaf = try profile.issue(by: parent?.leaf)
    }

    /// The certificate that clients are to trust.
    public func certificatePEM() -> String {
        leaf.certificatePEM
    }

    /// A server certificate for DNS names and literal addresses.
    public func issue(hosts: [String]) throws(TLSError) -> Leaf {
        var profile = LeafProfile()
        profile.hosts = hosts
        return try profile.issue(by: leaf)
    }
}

/// The content of a certificate; the defaults are those of a good server certificate. The rest is
/// for tests of refusal.
struct LeafProfile {
    enum Key {
        case ec
        case rsa(bits: CUnsignedInt)
    }

    var hosts: [String] = []
    /// The alternative names in OpenSSL's notation, in place of `hosts`.
    var alternativeNames: String?
    var commonName = "throwaway"
    var isAuthority = false
    /// Seconds from now.
    var notBefore = -3600
    var notAfter = 7 * 24 * 3600
    var extendedKeyUsage = "serverAuth"
    var key = Key.ec
    var usesSHA1 = false

    /// Makes the certificate; without an issuer it signs itself.
    func issue(by issuer: ThrowawayAuthority.Leaf?) throws(TLSError) -> ThrowawayAuthority.Leaf {
        ERR_clear_error()
        guard let certificatePointer = X509_new(), let keyPointer = makeKey() else { throw .last("key generation") }
        let certificate = Certificate(owning: certificatePointer)
        let key = PrivateKey(owning: keyPointer)
        let issuerCertificate = issuer.flatMap { PEM.certificates(Array($0.certificatePEM.utf8)).first } ?? certificate
        let issuerKey = issuer.flatMap { Array($0.keyPEM.utf8).withUnsafeBytes(PEM.privateKey) } ?? key
        try describe(certificate.pointer, key.pointer)
        X509_set_issuer_name(certificate.pointer, X509_get_subject_name(issuerCertificate.pointer))
        try addExtensions(certificate.pointer, issuerCertificate.pointer)
        guard X509_sign(certificate.pointer, issuerKey.pointer, usesSHA1 ? EVP_sha1() : EVP_sha256()) > 0 else {
            throw .last("X509_sign")
        }
        return ThrowawayAuthority.Leaf(certificatePEM: PEM.text(certificate), keyPEM: PEM.text(key))
    }

    private func makeKey() -> OpaquePointer? {
        switch key {
        case .ec: copenssl_generate_ec_key()
        case .rsa(let bits): copenssl_generate_rsa_key(bits)
        }
    }

    private func describe(_ certificate: OpaquePointer, _ key: OpaquePointer) throws(TLSError) {
        var serial: UInt64 = 0
        guard withUnsafeMutableBytes(of: &serial, { RAND_bytes($0.baseAddress, CInt($0.count)) }) == 1 else {
            throw .last("RAND_bytes")
        }
        X509_set_version(certificate, 2)  // X.509 v3
        ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), serial >> 1)
        X509_gmtime_adj(X509_getm_notBefore(certificate), notBefore)
        X509_gmtime_adj(X509_getm_notAfter(certificate), notAfter)
        X509_set_pubkey(certificate, key)
        let subject = X509_get_subject_name(certificate)
        guard X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, commonName, -1, -1, 0) == 1 else {
            throw .last("subject")
        }
    }

    private func addExtensions(_ certificate: OpaquePointer, _ issuer: OpaquePointer) throws(TLSError) {
        var context = X509V3_CTX()
        X509V3_set_ctx(&context, issuer, certificate, nil, nil, 0)
        var extensions: [(CInt, String)] = [
            (NID_basic_constraints, isAuthority ? "critical,CA:TRUE" : "critical,CA:FALSE"),
            (NID_key_usage, isAuthority ? "critical,keyCertSign,cRLSign" : "critical,digitalSignature"),
            (NID_subject_key_identifier, "hash"),
        ]
        if !isAuthority { extensions.append((NID_ext_key_usage, extendedKeyUsage)) }
        let names = hosts.map { (SocketAddress(host: $0, port: 0) == nil ? "DNS:" : "IP:") + $0 }
        let alternatives = alternativeNames ?? names.joined(separator: ",")
        if !alternatives.isEmpty { extensions.append((NID_subject_alt_name, alternatives)) }
        for (kind, value) in extensions {
            guard let made = X509V3_EXT_conf_nid(nil, &context, kind, value) else { throw .last("extension \(value)") }
            defer { X509_EXTENSION_free(made) }
            guard X509_add_ext(certificate, made, -1) == 1 else { throw .last("extension \(value)") }
        }
    }
}
