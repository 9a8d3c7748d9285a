// The two spellings of an ECDSA signature over P-256: OpenSSL writes DER, a JWT holds r and s (RFC
// 7518 3.4).

import COpenSSL

enum ECDSASignature {
    /// r and s, 32 bytes each, big-endian, with leading zeros.
    static let rawCount = 64

    /// Nil for anything but one DER signature with nothing after it and numbers of at most 32
    /// bytes.
    static func raw(der: [UInt8]) -> [UInt8]? {
        der.withUnsafeBufferPointer { bytes -> [UInt8]? in
            var position = bytes.baseAddress
            ERR_clear_error()
            guard let signature = d2i_ECDSA_SIG(nil, &position, bytes.count) else { return nil }
            defer { ECDSA_SIG_free(signature) }
            guard position == bytes.baseAddress.map({ $0 + bytes.count }) else { return nil }
            return [UInt8](unsafeUninitializedCapacity: rawCount) { raw, count in
                let isWritten =
                    BN_bn2binpad(ECDSA_SIG_get0_r(signature), raw.baseAddress, 32) == 32
                    && BN_bn2binpad(ECDSA_SIG_get0_s(signature), raw.baseAddress! + 32, 32) == 32
                count = isWritten ? rawCount : 0
            }
        }.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Nil unless there are 64 bytes.
    static func der(raw: [UInt8]) -> [UInt8]? {
        guard raw.count == rawCount, let signature = ECDSA_SIG_new() else { return nil }
        defer { ECDSA_SIG_free(signature) }
        let isSet = raw.withUnsafeBufferPointer { bytes in
            let r = BN_bin2bn(bytes.baseAddress, 32, nil)
            let s = BN_bin2bn(bytes.baseAddress! + 32, 32, nil)
            guard ECDSA_SIG_set0(signature, r, s) == 1 else {
                BN_free(r)
                BN_free(s)
                return false
            }
            return true
        }
        guard isSet else { return nil }
        let length = i2d_ECDSA_SIG(signature, nil)
        guard length > 0 else { return nil }
        return [UInt8](unsafeUninitializedCapacity: Int(length)) { bytes, count in
            var position = bytes.baseAddress
            count = Int(i2d_ECDSA_SIG(signature, &position))
        }
    }
}
