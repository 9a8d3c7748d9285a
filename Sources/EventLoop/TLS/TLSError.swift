import COpenSSL

/// TLS that could not be set up: a certificate, key or trust store that cannot be used.
public struct TLSError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The operation, with the path if there is one; never content.
    public let description: String

    init(_ description: String) {
        self.description = description
    }

    /// The error of an OpenSSL call that has just failed on this thread. Empties OpenSSL's queue of
    /// errors.
    static func last(_ what: String) -> TLSError {
        TLSError("\(what): \(OpenSSLQueue.takeReason())")
    }
}

/// OpenSSL's queue of errors, which belongs to the thread: it is emptied before each call whose
/// result is asked for.
enum OpenSSLQueue {
    /// The reason of the latest error; the queue is empty afterwards.
    static func takeReason() -> String {
        let code = ERR_peek_last_error()
        ERR_clear_error()
        guard code != 0 else { return "unknown" }
        guard let reason = ERR_reason_error_string(code) else { return "error \(code)" }
        return String(cString: reason)
    }

    /// The reason of the latest error, where that is one of the TLS library; nil for others.
    static var lastTLSReason: CInt? {
        let code = ERR_peek_last_error()
        // ERR_GET_LIB and ERR_GET_REASON are functions that Swift sees only as macros: see
        // openssl/err.h.
        return (code >> 23) & 0xFF == UInt(ERR_LIB_SSL) ? CInt(code & 0x7F_FFFF) : nil
    }
}
