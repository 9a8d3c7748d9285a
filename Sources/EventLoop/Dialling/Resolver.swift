import CLinux
import Dispatch
import Glibc
import Synchronization

/// A host name without addresses.
public struct ResolveError: Error, Hashable, Sendable, CustomStringConvertible {
    public let host: String
    /// getaddrinfo's text: "Name or service not known".
    public let reason: String

    public var description: String { "\(host): \(reason)" }
}

/// Host names to addresses: getaddrinfo on queues of its own, answers kept and delivered on the
/// caller's loop.
///
/// What must hold: identical look-ups under way are joined; the completion runs on the loop, never
/// inside `resolve`; who asks for a name whose addresses are known does not wait: old addresses are
/// delivered at once, for an hour, and looked up again behind that, so that neither a failing nor a
/// hanging name server is felt; addresses alternate between IPv6 and IPv4, the resolver's first
/// choice first, so that one broken family costs one failed connect.
public final class Resolver: Sendable {
    public typealias Completion = @Sendable (Result<[SocketAddress], ResolveError>) -> Void
    typealias Lookup = @Sendable (_ host: String) -> Result<[SocketAddress], ResolveError>

    /// The time for which a failure is remembered, and after which a failed refresh is tried again.
    static let failureLifetime: Duration = .seconds(1)
    /// The time for which addresses that are old may still be delivered.
    static let staleLifetime: Duration = .seconds(3600)
    /// Names kept; beyond that all are forgotten.
    static let maxNames = 1024

    private struct Waiter: Sendable {
        let port: UInt16
        let loop: EventLoop
        let completion: Completion
    }

    private struct Answer: Sendable {
        let result: Result<[SocketAddress], ResolveError>
        /// When to look the name up again.
        var expires: Instant
        /// When to forget the answer: later for addresses, at once for a failure.
        let isUsableUntil: Instant
    }

    private struct State: Sendable {
        var answers: [String: Answer] = [:]
        /// Those who wait, by name. A name with a look-up under way has an entry, even if it has no
        /// waiters.
        var waiters: [String: [Waiter]] = [:]

        /// What is known of the name, or nil if the waiter has to wait; and whether it must be
        /// looked up.
        mutating func ask(
            _ host: String, _ waiter: Waiter, now: Instant
        ) -> (known: Result<[SocketAddress], ResolveError>?, needsLookup: Bool) {
            let answer = answers[host].flatMap { $0.isUsableUntil > now ? $0 : nil }
            if let answer, answer.expires > now { return (answer.result, false) }
            let isUnderWay = waiters[host] != nil
            waiters[host, default: []] += answer == nil ? [waiter] : []
            return (answer?.result, !isUnderWay)
        }

        /// Keeps what a look-up has found; a failure does not replace addresses that are still
        /// usable.
        mutating func take(
            _ result: Result<[SocketAddress], ResolveError>, of host: String, ttl: Duration, staleLifetime: Duration,
            now: Instant
        ) -> (answer: Result<[SocketAddress], ResolveError>, waiters: [Waiter]) {
            var answer: Answer
            switch result {
            case .success:
                answer = Answer(result: result, expires: now + ttl, isUsableUntil: now + ttl + staleLifetime)
            case .failure:
                let expires = now + Resolver.failureLifetime
                answer = Answer(result: result, expires: expires, isUsableUntil: expires)
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
    private let staleLifetime: Duration
    private let lookup: Lookup
    /// Of every name; nil where names are looked up.
    private let known: SocketAddress?
    private let queue = DispatchQueue(label: "resolver", attributes: .concurrent)
    private let state = Mutex(State())

    /// `ttl` is the time for which addresses are kept; getaddrinfo does not say what the name
    /// server allows.
    public convenience init(ttl: Duration = .seconds(60)) {
        self.init(ttl: ttl, lookup: Resolver.system)
    }

    /// For an origin that no name server knows: every name has this address, which may be a Unix
    /// socket.
    public convenience init(always address: SocketAddress) {
        self.init(ttl: .zero, known: address, lookup: Resolver.system)
    }

    init(
        ttl: Duration, staleLifetime: Duration = Resolver.staleLifetime, known: SocketAddress? = nil,
        lookup: @escaping Lookup
    ) {
        self.ttl = ttl
        self.known = known
        self.staleLifetime = staleLifetime
        self.lookup = lookup
    }

    /// Finds the addresses of `host`, a DNS name or a literal address (with or without brackets).
    public func resolve(host: String, port: UInt16, on loop: EventLoop, _ completion: @escaping Completion) {
        let host = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host.lowercased()
        let waiter = Waiter(port: port, loop: loop, completion: completion)
        if let literal = known ?? SocketAddress(host: host, port: port) {
            return Resolver.deliver(.success([literal]), to: waiter)
        }
        let (known, needsLookup) = state.withLock { $0.ask(host, waiter, now: .now()) }
        if let known { Resolver.deliver(known, to: waiter) }
        if needsLookup { queue.async { @Sendable in self.look(up: host) } }
    }

    private func look(up host: String) {
        let result = lookup(host).map(Resolver.interleaved)
        let (answer, waiters) = state.withLock { state in
            state.take(result, of: host, ttl: ttl, staleLifetime: staleLifetime, now: .now())
        }
        for waiter in waiters { Resolver.deliver(answer, to: waiter) }
    }

    private static func deliver(_ result: Result<[SocketAddress], ResolveError>, to waiter: Waiter) {
        waiter.loop.execute { waiter.completion(result.map { $0.map { $0.with(port: waiter.port) } }) }
    }

    /// Alternates between the families, beginning with that of the first address (RFC 8305, 4).
    static func interleaved(_ addresses: [SocketAddress]) -> [SocketAddress] {
        let first = addresses.filter { $0.isIPv6 == addresses[0].isIPv6 }
        let second = addresses.filter { $0.isIPv6 != addresses[0].isIPv6 }
        return (0..<max(first.count, second.count)).flatMap {
            Array(first.dropFirst($0).prefix(1) + second.dropFirst($0).prefix(1))
        }
    }

    /// Blocks for as long as the name servers take.
    private static func system(_ host: String) -> Result<[SocketAddress], ResolveError> {
        guard !host.isEmpty, !host.utf8.contains(0) else {
            return .failure(ResolveError(host: host, reason: "not a host name"))
        }
        var hints = addrinfo()
        hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_ADDRCONFIG
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
