import COpenSSL
import Glibc

/// Loading of trust anchors.
///
/// Must hold: the authorities that the operator has named are used, or it is an error. Falling back
/// to the machine's authorities would trust more than was asked for.
enum TrustStore {
    /// Files in which distributions keep all authorities.
    private static let systemFiles = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
        "/etc/ssl/cert.pem",
    ]

    /// Loads trust anchors into a context.
    /// - Returns: the fingerprint of the certificates of a `.file`, of the very bytes that were
    ///   loaded; nil for other anchors, and for a file that `KeyFile` does not read.
    @discardableResult
    static func load(
        _ anchors: ClientTLS.TrustAnchors, into context: OpaquePointer, _ environment: (String) -> String?
    ) throws(TLSError) -> CertificateFingerprint? {
        var fingerprint: CertificateFingerprint?
        ERR_clear_error()
        switch anchors {
        case .system: try loadSystem(context, environment)
        case .file(let path): fingerprint = try loadOnce(path, context)
        case .pem(let text):
            let store = SSL_CTX_get_cert_store(context)
            for certificate in PEM.certificates(Array(text.utf8)) {
                X509_STORE_add_cert(store, certificate.pointer)
            }
        }
        guard copenssl_store_count(context) > 0 else { throw TLSError("trust anchors: none found") }
        return fingerprint
    }

    private static func loadSystem(_ context: OpaquePointer, _ environment: (String) -> String?) throws(TLSError) {
        let file = environment("SSL_CERT_FILE") ?? ""
        let directories = (environment("SSL_CERT_DIR") ?? "").split(separator: ":").map(String.init)
        if !file.isEmpty { try loadFile(file, context) }
        for directory in directories { try loadDirectory(directory, context) }
        guard file.isEmpty, directories.isEmpty else { return }
        guard let path = systemFiles.first(where: { access($0, R_OK) == 0 }) else {
            throw TLSError("no system trust anchors found (install ca-certificates)")
        }
        try loadFile(path, context)
    }

    /// Loads the bytes of one read, whatever takes the file's name meanwhile.
    private static func loadOnce(
        _ path: String, _ context: OpaquePointer
    ) throws(TLSError) -> CertificateFingerprint? {
        guard let text = try? KeyFile.certificates(path) else {
            try loadFile(path, context)
            return nil
        }
        let isLoaded = text.withUnsafeBytes { bytes in
            copenssl_store_load(context, bytes.baseAddress, CInt(clamping: bytes.count)) == 1
        }
        guard isLoaded else { throw .last("trust anchors in \(path)") }
        let certificates = PEM.certificates(text)
        return certificates.isEmpty ? nil : CertificateFingerprint(certificates)
    }

    private static func loadFile(_ path: String, _ context: OpaquePointer) throws(TLSError) {
        guard SSL_CTX_load_verify_locations(context, path, nil) == 1 else {
            throw .last("trust anchors in \(path)")
        }
    }

    /// Loads every file of the directory that holds certificates, whatever its name, now: OpenSSL's
    /// own way reads files with hashed names in the middle of a handshake, and does not say that a
    /// directory is missing.
    private static func loadDirectory(_ path: String, _ context: OpaquePointer) throws(TLSError) {
        let names: [String]
        do throws(SystemError) { names = try Folder.names(in: path) } catch {
            throw TLSError("trust anchors in \(path): \(String(cString: strerror(error.errno)))")
        }
        var isAnyLoaded = false
        for name in names {
            guard !name.hasPrefix("."), SSL_CTX_load_verify_locations(context, "\(path)/\(name)", nil) == 1 else {
                continue
            }
            isAnyLoaded = true
        }
        // Files that hold no certificate leave errors in OpenSSL's queue.
        ERR_clear_error()
        guard isAnyLoaded else { throw TLSError("trust anchors in \(path): none found") }
    }
}
