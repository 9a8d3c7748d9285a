import Dispatch
import Synchronization

extension Resolver {
    /// The result of a look-up that may come too late.
    private final class LateResult: Sendable {
        let problem = Mutex<String?>(nil)
        let done = DispatchSemaphore(value: 0)
    }

    /// Why a host name has no address now; nil where it has one, and for a literal address. Blocks
    /// for `limit` at most; name servers that do not answer hold a thread for longer.
    public static func problem(with host: String, within limit: Duration) -> String? {
        problem(with: host, within: limit, lookup: system)
    }

    static func problem(with host: String, within limit: Duration, lookup: @escaping Lookup) -> String? {
        guard SocketAddress(host: host, port: 0) == nil else { return nil }
        let result = LateResult()
        DispatchQueue(label: "refrain.resolve").async { @Sendable in
            if case .failure(let error) = lookup(host) { result.problem.withLock { $0 = error.reason } }
            result.done.signal()
        }
        let wait = DispatchTimeInterval.milliseconds(Int(limit.wholeNanoseconds / 1_000_000))
        guard result.done.wait(timeout: .now() + wait) == .success else {
            return "no answer of the name servers within \(limit.components.seconds) seconds"
        }
        return result.problem.withLock { $0 }
    }
}
