import EventLoop
import Text

extension CertificateFingerprint {
    /// `certificate_sha256` of `/stats`: the digests as `openssl x509 -fingerprint -sha256` prints
    /// them, in lower case and without colons, the leaf's first.
    package var json: JSON { .array(sha256.map { .string(Hexadecimal.text($0)) }) }
}
