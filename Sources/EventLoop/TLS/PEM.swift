import COpenSSL

/// A certificate, released with the last reference to it.
final class Certificate {
    let pointer: OpaquePointer

    init(owning pointer: OpaquePointer) {
        self.pointer = pointer
    }

    deinit {
        X509_free(pointer)
    }
}

/// A private key, released (and wiped by OpenSSL) with the last reference to it.
package final class PrivateKey {
    package let pointer: OpaquePointer

    init(owning pointer: OpaquePointer) {
        self.pointer = pointer
    }

    deinit {
        EVP_PKEY_free(pointer)
    }
}

/// PEM text in both directions, in memory.
package enum PEM {
    /// The certificates in order; text around them is skipped.
    static func certificates(_ text: [UInt8]) -> [Certificate] {
        text.withUnsafeBytes { bytes in
            withReader(bytes) { bio in
                var found: [Certificate] = []
                while let certificate = PEM_read_bio_X509(bio, nil, nil, nil) {
                    found.append(Certificate(owning: certificate))
                }
                // The end of the text is an error to OpenSSL.
                ERR_clear_error()
                return found
            }
        }
    }

    /// The first private key. A key that is encrypted is refused, not asked for on the terminal.
    package static func privateKey(_ text: UnsafeRawBufferPointer) -> PrivateKey? {
        withReader(text) { bio in
            PEM_read_bio_PrivateKey(bio, nil, { _, _, _, _ in -1 }, nil).map(PrivateKey.init(owning:))
        }
    }

    static func text(_ certificate: Certificate) -> String {
        withWriter { _ = PEM_write_bio_X509($0, certificate.pointer) }
    }

    static func text(_ key: PrivateKey) -> String {
        withWriter { _ = PEM_write_bio_PKCS8PrivateKey($0, key.pointer, nil, nil, 0, nil, nil) }
    }

    private static func withReader<R>(_ text: UnsafeRawBufferPointer, _ body: (OpaquePointer?) -> R) -> R {
        let bio = BIO_new_mem_buf(text.baseAddress, CInt(clamping: text.count))
        defer { BIO_free(bio) }
        return body(bio)
    }

    private static func withWriter(_ body: (OpaquePointer?) -> Void) -> String {
        let bio = BIO_new(BIO_s_mem())
        defer { BIO_free(bio) }
        body(bio)
        return withUnsafeTemporaryAllocation(byteCount: 16 * 1024, alignment: 1) { buffer in
            let count = BIO_read(bio, buffer.baseAddress, CInt(buffer.count))
            return String(decoding: buffer.prefix(Int(max(0, count))), as: UTF8.self)
        }
    }
}
