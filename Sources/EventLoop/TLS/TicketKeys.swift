import COpenSSL
import Synchronization

/// The keys that seal the session tickets of one certificate key, for all loops of a process. A
/// reload keeps them, and an upgrade hands them on.
///
/// How far they reach: a ticket is taken only under the `identity` that it was sealed under, which
/// is the session id context. So a session is resumed on each TLS listener that shows a certificate
/// of that key, and nowhere else. Clients are asked for no certificate; rules about that would have
/// to be part of the identity, or a session would cross from lax ones to strict ones.
///
/// Must hold: the secrets are written to no file. In this process they are in `TicketKeyMemory`
/// while they open tickets, in buffers that are wiped, and in OpenSSL's contexts of a handshake.
/// The kernel has them in a socket's buffer until a successor reads them, and where
/// `RLIMIT_MEMLOCK` is used up it can swap them.
public final class TicketKeys: Sendable {
    private struct State: ~Copyable, Sendable {
        let memory: TicketKeyMemory
        var schedule = TicketSchedule()

        /// Cleanses the keys that open no tickets any more.
        mutating func dropEnded(at now: Instant) {
            if schedule.dropEnded(at: now) { memory.keepFirst(schedule.births.count) }
        }
    }

    /// SHA-256 of the public key of the certificate.
    let identity: [UInt8]
    private let state: Mutex<State>

    private static let identityBytes = Int(SHA256_DIGEST_LENGTH)
    private static let birthBytes = 8

    /// The first key is made when a ticket is wanted.
    init(identity: [UInt8]) throws(TLSError) {
        self.identity = identity
        state = Mutex(State(memory: try TicketKeyMemory()))
    }

    static func identity(of certificate: Certificate) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: identityBytes)
        // It cannot fail for a certificate whose key is in use.
        X509_pubkey_digest(certificate.pointer, EVP_sha256(), &digest, nil)
        return digest
    }

    // MARK: Tickets

    /// Begins to seal a ticket; names the key in `name`. False where there can be no ticket.
    func seal(
        _ name: UnsafeMutableRawBufferPointer, _ iv: UnsafeMutableRawBufferPointer, _ cipher: OpaquePointer?,
        _ mac: OpaquePointer?, at now: Instant = .now()
    ) -> Bool {
        guard RAND_bytes(iv.baseAddress, CInt(iv.count)) == 1 else { return false }
        return state.withLock { state in
            state.dropEnded(at: now)
            if state.schedule.needsKey(at: now) {
                guard state.memory.makeFirst() else { return false }
                state.schedule.begin(at: now)
            }
            let key = state.memory[0]
            name.copyMemory(from: UnsafeRawBufferPointer(rebasing: key.prefix(name.count)))
            return Self.begin(UnsafeRawBufferPointer(key), UnsafeRawBufferPointer(iv), cipher, mac, seals: true)
        }
    }

    /// How a ticket can be used.
    enum Opening: Equatable {
        /// The key of that name is not there, or opens no more.
        case unknown
        case current
        /// The client is to get a ticket of the current key.
        case former
        case failed
    }

    /// Begins to open a ticket of the key of this name.
    func open(
        _ name: UnsafeRawBufferPointer, _ iv: UnsafeRawBufferPointer, _ cipher: OpaquePointer?, _ mac: OpaquePointer?,
        at now: Instant = .now()
    ) -> Opening {
        state.withLock { state in
            guard let index = state.memory.index(named: name, among: state.schedule.births.count),
                state.schedule.opens(index, at: now)
            else { return .unknown }
            let key = UnsafeRawBufferPointer(state.memory[index])
            guard Self.begin(key, iv, cipher, mac, seals: false) else { return .failed }
            return index == 0 && !state.schedule.needsKey(at: now) ? .current : .former
        }
    }

    /// Cleanses the keys that open no tickets any more. Tickets and a handing over do so by
    /// themselves; a process without clients has nothing else that does.
    public func dropEnded(at now: Instant = .now()) {
        state.withLock { $0.dropEnded(at: now) }
    }

    private static func begin(
        _ key: UnsafeRawBufferPointer, _ iv: UnsafeRawBufferPointer, _ cipher: OpaquePointer?, _ mac: OpaquePointer?,
        seals: Bool
    ) -> Bool {
        let secret = UnsafeRawBufferPointer(rebasing: key.dropFirst(TicketKeyMemory.nameBytes))
        return copenssl_ticket_begin(
            cipher, mac, secret.bindMemory(to: UInt8.self).baseAddress, iv.bindMemory(to: UInt8.self).baseAddress,
            seals ? 1 : 0) == 1
    }
}

// MARK: - Handing over

extension TicketKeys {
    private static let entryBytes = birthBytes + TicketKeyMemory.keyBytes
    /// The most that `withBytes` gives.
    static let mostBytes = identityBytes + TicketSchedule.mostKeys * entryBytes

    /// Lends the keys that open tickets, for another process of this machine, and wipes the bytes.
    /// Identity, and for each key its birth (the monotonic clock, the high byte first), name and
    /// secret. Empty where there is no key.
    public func withBytes<R>(at now: Instant = .now(), _ body: (UnsafeRawBufferPointer) -> R) -> R {
        withUnsafeTemporaryAllocation(byteCount: Self.mostBytes, alignment: 8) { buffer in
            defer { OPENSSL_cleanse(buffer.baseAddress, buffer.count) }
            let count = state.withLock { state in
                state.dropEnded(at: now)
                let births = state.schedule.births
                buffer.copyBytes(from: identity)
                for (index, birth) in births.enumerated() {
                    let entry = UnsafeMutableRawBufferPointer(rebasing: buffer.dropFirst(Self.place(of: index)))
                    entry.storeBytes(of: birth.nanoseconds.bigEndian, as: Int64.self)
                    UnsafeMutableRawBufferPointer(rebasing: entry.dropFirst(Self.birthBytes))
                        .copyMemory(from: UnsafeRawBufferPointer(state.memory[index]))
                }
                return births.count
            }
            return body(UnsafeRawBufferPointer(rebasing: buffer.prefix(count == 0 ? 0 : Self.place(of: count))))
        }
    }

    /// Keys of another process; nil where these are none, or there is no memory for them. The bytes
    /// are for the caller to wipe.
    public convenience init?(_ bytes: UnsafeRawBufferPointer, at now: Instant = .now()) {
        let (count, rest) = (bytes.count - Self.identityBytes).quotientAndRemainder(dividingBy: Self.entryBytes)
        guard bytes.count > Self.identityBytes, rest == 0 else { return nil }
        let births = (0..<count).map { index in
            let time = bytes.loadUnaligned(fromByteOffset: Self.place(of: index), as: Int64.self)
            return Instant(nanoseconds: Int64(bigEndian: time))
        }
        guard let schedule = TicketSchedule(births: births, at: now) else { return nil }
        do throws(TLSError) {
            try self.init(identity: Array(bytes.prefix(Self.identityBytes)))
        } catch {
            return nil
        }
        state.withLock { state in
            state.schedule = schedule
            for index in 0..<count {
                let key = bytes.dropFirst(Self.place(of: index) + Self.birthBytes).prefix(TicketKeyMemory.keyBytes)
                state.memory[index].copyMemory(from: UnsafeRawBufferPointer(rebasing: key))
            }
        }
    }

    private static func place(of index: Int) -> Int { identityBytes + index * entryBytes }
}

// MARK: - OpenSSL

extension TicketKeys {
    /// Sets the callback by which a context asks the keys of its sessions
    /// (SSL_CTX_set_tlsext_ticket_key_evp_cb(3)).
    static func install(in context: OpaquePointer) {
        SSL_CTX_set_tlsext_ticket_key_evp_cb(context) { ssl, name, iv, cipher, mac, seals in
            guard let keys = TLSSession.of(ssl)?.ticketKeys, let name, let iv else { return -1 }
            let names = UnsafeMutableRawBufferPointer(start: name, count: TicketKeyMemory.nameBytes)
            let ivs = UnsafeMutableRawBufferPointer(start: iv, count: 16)
            guard seals == 0 else { return keys.seal(names, ivs, cipher, mac) ? 1 : -1 }
            switch keys.open(UnsafeRawBufferPointer(names), UnsafeRawBufferPointer(ivs), cipher, mac) {
            case .unknown: return 0
            case .current: return 1
            case .former: return 2
            case .failed: return -1
            }
        }
        SSL_CTX_set_timeout(context, CLong(TicketSchedule.ticketLife.components.seconds))
    }
}
