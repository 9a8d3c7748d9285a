import COpenSSL

/// Describes the failed TLS handshake of a client.
public struct HandshakeFailure: Error, Equatable, Sendable {
    /// The cause, as far as the server sees it.
    public enum Kind: Int, CaseIterable, Sendable {
        /// The client refused the certificate, by an alert.
        case untrusted
        /// The client refused the certificate, which does not name the host that the client had
        /// asked for (RFC 6066 3).
        case name
        /// No version of TLS in common.
        case version
        /// No protocol of ALPN in common (RFC 7301 3.2).
        case alpn
        /// No cipher, group or signature algorithm in common.
        case cipher
        /// The first bytes were no TLS, such as HTTP in the clear.
        case notTLS
        /// The client closed or reset the connection in the middle.
        case closed
        /// The client took longer than it may.
        case late
        /// The client closed, or its time was over, before it had sent a byte, as for health checks
        /// and connections that browsers open in advance.
        case silent
        /// Another failure, such as a malformed message.
        case other

        /// The label of metrics.
        public var word: String { self == .notTLS ? "not-tls" : "\(self)" }

        /// The failure in words, for a log line.
        public var phrase: String {
            switch self {
            case .untrusted: "the client does not trust the certificate"
            case .name: "the certificate does not name the host that the client asked for"
            case .version: "no common TLS version"
            case .alpn: "no common protocol (ALPN)"
            case .cipher: "no common cipher, group or signature algorithm"
            case .notTLS: "the client did not speak TLS"
            case .closed: "the client closed the connection"
            case .late: "the client took too long"
            case .silent: "the client sent nothing"
            case .other: "malformed or unexpected messages"
            }
        }
    }

    public let kind: Kind
    /// The words of the TLS library or the kernel; nil where the kind says everything.
    public var reason: String?
    /// The host that the client asked for, in printable ASCII; known for the kind `name`.
    public var host: String?

    init(_ kind: Kind, reason: String? = nil, host: String? = nil) {
        (self.kind, self.reason, self.host) = (kind, reason, host)
    }
}

extension HandshakeFailure.Kind {
    /// Sorts a reason of the TLS library at the server's side; alerts are the client's.
    init(ofTLSReason reason: CInt) {
        self =
            switch reason {
            case SSL_R_SSLV3_ALERT_BAD_CERTIFICATE, SSL_R_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE,
                SSL_R_SSLV3_ALERT_CERTIFICATE_REVOKED, SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED,
                SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN, SSL_R_TLSV1_ALERT_UNKNOWN_CA, SSL_R_TLSV1_ALERT_ACCESS_DENIED,
                // A signature is wrong: another authority has the issuer's name.
                SSL_R_TLSV1_ALERT_DECRYPT_ERROR:
                .untrusted
            case SSL_R_UNSUPPORTED_PROTOCOL, SSL_R_VERSION_TOO_LOW, SSL_R_VERSION_TOO_HIGH, SSL_R_WRONG_SSL_VERSION,
                SSL_R_UNSUPPORTED_SSL_VERSION, SSL_R_BAD_LEGACY_VERSION, SSL_R_INAPPROPRIATE_FALLBACK,
                SSL_R_TLSV1_ALERT_PROTOCOL_VERSION, SSL_R_TLSV1_ALERT_INAPPROPRIATE_FALLBACK:
                .version
            case SSL_R_NO_APPLICATION_PROTOCOL, SSL_R_TLSV1_ALERT_NO_APPLICATION_PROTOCOL: .alpn
            case SSL_R_NO_SHARED_CIPHER, SSL_R_NO_SHARED_GROUPS, SSL_R_NO_SHARED_SIGNATURE_ALGORITHMS,
                SSL_R_NO_SUITABLE_KEY_SHARE, SSL_R_NO_SUITABLE_GROUPS, SSL_R_NO_SUITABLE_SIGNATURE_ALGORITHM,
                SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE, SSL_R_TLSV1_ALERT_INSUFFICIENT_SECURITY:
                .cipher
            case SSL_R_HTTP_REQUEST, SSL_R_HTTPS_PROXY_REQUEST, SSL_R_WRONG_VERSION_NUMBER, SSL_R_UNKNOWN_PROTOCOL,
                SSL_R_BAD_RECORD_TYPE, SSL_R_PACKET_LENGTH_TOO_LONG:
                .notTLS
            case SSL_R_TLSV1_ALERT_USER_CANCELLED: .closed
            default: .other
            }
    }
}
