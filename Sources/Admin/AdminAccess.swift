import AppleMusic
import Synchronization

/// What the admin listener asks for; may change while it listens.
public final class AdminAccess: Sendable {
    private let state: Mutex<SecretBytes?>

    /// - Parameter token: what `Authorization: Bearer` must present; nil on a loopback listener that needs none.
    public init(token: SecretBytes?) {
        state = Mutex(token)
    }

    public var token: SecretBytes? { state.withLock { $0 } }

    public func change(to token: SecretBytes?) {
        state.withLock { $0 = token }
    }
}
