import CLinux
import Dispatch
import Glibc
import Synchronization

/// A host name without addresses.
struct ResolveError: Error, Hashable, Sendable, CustomStringConvertible {
    let host: String
    /// getaddrinfo's text: "Name or service not known".
    let reason: String

    var description: String { "\(host): \(reason)" }
}

/// Host names to addresses: getaddrinfo on queues of its own, answers kept and delivered on the
/// caller's loop.
///
/// Must hold: identical look-ups under way are joined; the completion runs on the loop, never
/// inside `resolve`. Addresses that became old less than a minute ago are delivered at once and
/// looked up again in the background. Older ones, for an hour, are delivered where a look-up fails
/// or takes longer than a second, so that clients do not notice a name server that fails or hangs.
/// Addresses alternate between IPv6 and IPv4, the resolver's first choice first; those that failed
/// lately come last, for all loops.
public final class Resolver: Sendable {
    typealias Completion = @Sendable (Result<[SocketAddress], ResolveError>) -> Void
    typealias Lookup = @Sendable (_ host: String) -> Result<[SocketAddress], ResolveError>

    /// The time for which a failure is remembered, and after which a failed refresh is tried again.
    static let failureLifetime: Duration = .seconds(1)
    /// The time for which addresses that are old may still be delivered.
    static let staleLifetime: Duration = .seconds(3600)
    /// The time after which addresses that are old are only delivered in place of none.
    static let graceLifetime: Duration = .seconds(60)
    /// How long a look-up is waited for where there are old addresses.
    static let lookupPatience: Duration = .seconds(1)
    /// Names kept; beyond that all are forgotten.
    static let maxNames = 1024

    private struct Waiter: Sendable {
        let number: Int
        let port: UInt16
        let loop: EventLoop
        let completion: Completion
    }

    private struct Answer: Sendable {
        let result: Result<[SocketAddress], ResolveError>
        let foundAt: Instant
        /// When to look the name up again.
        var expires: Instant
        /// When to deliver it only in place of nothing.
        let isOverAt: Instant
        /// When to forget the answer: later for addresses, at once for a failure.
        let isUsableUntil: Instant
    }

    private struct State: Sendable {
        var answers: [String: Answer] = [:]
        /// Waiters by name. A name with a look-up under way has an entry, even without waiters.
        var waiters: [String: [Waiter]] = [:]
        var lastNumber = 0

        /// The answer to deliver at once, or nil if the waiter has to wait; whether the name must
        /// be looked up; and whether there is an old answer, should that take long.
        mutating func ask(
            _ host: String, _ waiter: Waiter, since: Instant?, now: Instant
        ) -> (known: Result<[SocketAddress], ResolveError>?, needsLookup: Bool, hasOld: Bool) {
            let answer = answers[host].flatMap { $0.isUsableUntil > now ? $0 : nil }
            let isNewEnough = answer.map { $0.foundAt >= since ?? $0.foundAt } ?? false
            if let answer, isNewEnough, answer.expires > now { return (answer.result, false, false) }
            let isOutdated = !isNewEnough || answer.map { $0.isOverAt <= now } == true
            let isUnderWay = waiters[host] != nil
            waiters[host, default: []] += isOutdated ? [waiter] : []
            return (isOutdated ? nil : answer?.result, !isUnderWay, isOutdated && answer != nil)
        }

        /// The old answer for a waiter that has waited for long enough; nil where it has its own.
        mutating func giveOld(
            _ host: String, to number: Int, now: Instant
        ) -> Result<[SocketAddress], ResolveError>? {
            guard let index = waiters[host]?.firstIndex(where: { $0.number == number }),
                let answer = answers[host], answer.isUsableUntil > now
            else { return nil }
            waiters[host]?.remove(at: index)
            return answer.result
        }

        /// Keeps the result of a look-up; a failure does not replace addresses that are still
        /// usable.
        mutating func take(
            _ result: Result<[SocketAddress], ResolveError>, of host: String, ttl: Duration, graceLifetime: Duration,
            staleLifetime: Duration, failureLifetime: Duration, now: Instant
        ) -> (answer: Result<[SocketAddress], ResolveError>, waiters: [Waiter]) {
            var answer: Answer
            switch result {
            case .success:
                let expires = now + ttl
                answer = Answer(
                    result: result, foundAt: now, expires: expires, isOverAt: expires + graceLifetime,
                    isUsableUntil: expires + staleLifetime)
            case .failure:
                let expires = now + failureLifetime
                answer = Answer(
                    result: result, foundAt: now, expires: expires, isOverAt: expires, isUsableUntil: expires)
                if var known = answers[host], known.isUsableUntil > now {
                    known.expires = expires
                    answer = known
                }
            }
            if answers[host] == nil, answers.count >= Resolver.maxNames { answers.removeAll() }
            answers[host] = answer
            return (answer.result, waiters.removeValue(forKey: host) ?? [])
        }
    }

    private let ttl: Duration
    private let graceLifetime: Duration
    private let staleLifetime: Duration
    private let failureLifetime: Duration
    private let lookup: Lookup
    /// The answer for every name; nil where names are looked up.
    private let known: SocketAddress?
    private let queue = DispatchQueue(label: "resolver", attributes: .concurrent)
    private let state = Mutex(State())
    private let troubles = Mutex(AddressTroubles())

    /// `ttl` is the time for which addresses are kept; getaddrinfo does not tell the name server's
    /// TTL.
    public convenience init(ttl: Duration = .seconds(60)) {
        self.init(ttl: ttl, lookup: Resolver.system)
    }

    /// For an origin that no name server knows: every name has this address, which may be a Unix
    /// socket.
    public convenience init(always address: SocketAddress) {
        self.init(ttl: .zero, known: address, lookup: Resolver.system)
    }

    init(
        ttl: Duration, graceLifetime: Duration = Resolver.graceLifetime,
        staleLifetime: Duration = Resolver.staleLifetime, failureLifetime: Duration = Resolver.failureLifetime,
        known: SocketAddress? = nil, lookup: @escaping Lookup
    ) {
        (self.ttl, self.known, self.graceLifetime) = (ttl, known, graceLifetime)
        (self.staleLifetime, self.failureLifetime, self.lookup) = (staleLifetime, failureLifetime, lookup)
    }

    /// Finds the addresses of `host`, a DNS name or a literal address (with or without brackets).
    /// - Parameter since: given where older addresses are of no use: the name is looked up again.
    func resolve(
        host: String, port: UInt16, since: Instant? = nil, on loop: EventLoop, _ completion: @escaping Completion
    ) {
        let host = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host.lowercased()
        let literal = known ?? SocketAddress(host: host, port: port)
        let (waiter, found) = state.withLock { state in
            state.lastNumber += 1
            let waiter = Waiter(number: state.lastNumber, port: port, loop: loop, completion: completion)
            return (waiter, literal == nil ? state.ask(host, waiter, since: since, now: .now()) : nil)
        }
        if let literal { return deliver(.success([literal]), to: waiter) }
        guard let found else { return }
        if let known = found.known { deliver(known, to: waiter) }
        if found.hasOld { loop.execute { [self] in waitForLookup(of: host, waiter) } }
        if found.needsLookup { queue.async { @Sendable in self.look(up: host) } }
    }

    /// Connecting to an address has failed, or took longer than to another: it is tried last for a
    /// while.
    func noteFailure(of address: SocketAddress) {
        troubles.withLock { $0.noteFailure(of: address, now: .now()) }
    }

    /// An address has been connected to.
    func noteReached(_ address: SocketAddress) {
        troubles.withLock { $0.noteReached(address) }
    }

    private func waitForLookup(of host: String, _ waiter: Waiter) {
        _ = waiter.loop.schedule(at: waiter.loop.now + Self.lookupPatience) { [self] in
            let old = state.withLock { $0.giveOld(host, to: waiter.number, now: .now()) }
            if let old { deliver(old, to: waiter) }
        }
    }

    private func look(up host: String) {
        let result = lookup(host).map(Resolver.interleaved)
        let (answer, waiters) = state.withLock { state in
            state.take(
                result, of: host, ttl: ttl, graceLifetime: graceLifetime, staleLifetime: staleLifetime,
                failureLifetime: failureLifetime, now: .now())
        }
        for waiter in waiters { deliver(answer, to: waiter) }
    }

    private func deliver(_ result: Result<[SocketAddress], ResolveError>, to waiter: Waiter) {
        let addresses = result.map { found in
            let addresses = found.map { $0.with(port: waiter.port) }
            return troubles.withLock { $0.ordered(addresses, now: .now()) }
        }
        waiter.loop.execute { waiter.completion(addresses) }
    }

    /// Alternates between the families, beginning with that of the first address (RFC 8305, 4).
    static func interleaved(_ addresses: [SocketAddress]) -> [SocketAddress] {
        let first = addresses.filter { $0.isIPv6 == addresses[0].isIPv6 }
        let second = addresses.filter { $0.isIPv6 != addresses[0].isIPv6 }
        return (0..<max(first.count, second.count)).flatMap {
            Array(first.dropFirst($0).prefix(1) + second.dropFirst($0).prefix(1))
        }
    }

    static func system(_ host: String) -> Result<[SocketAddress], ResolveError> {
        addresses(of: host, flags: AI_ADDRCONFIG)
    }

    /// Blocks for as long as the name servers take. Ports are 0.
    static func addresses(of host: String, flags: CInt) -> Result<[SocketAddress], ResolveError> {
        guard !host.isEmpty, !host.utf8.contains(0) else {
            return .failure(ResolveError(host: host, reason: "not a host name"))
        }
        var hints = addrinfo()
        hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        hints.ai_flags = flags
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, nil, &hints, &list)
        guard code == 0 else {
            return .failure(ResolveError(host: host, reason: String(cString: gai_strerror(code))))
        }
        defer { freeaddrinfo(list) }
        var addresses: [SocketAddress] = []
        for entry in sequence(first: list, next: { $0?.pointee.ai_next }) {
            guard let address = entry?.pointee.ai_addr.flatMap({ SocketAddress($0) }) else { continue }
            if !addresses.contains(address) { addresses.append(address) }
        }
        guard !addresses.isEmpty else { return .failure(ResolveError(host: host, reason: "no usable address")) }
        return .success(addresses)
    }
}
