import AppleMusic
import Synchronization

/// The admin listener's token; may change while it listens.
public final class AdminAccess: Sendable {
    private let state: Mutex<SecretBytes?>

    /// - Parameter token: the one for `Authorization: Bearer`; nil on a loopback listener
    ///   that needs none.
    public init(token: SecretBytes?) {
        state = Mutex(token)
    }

    var token: SecretBytes? { state.withLock { $0 } }

    /// Changes the token; the same one in another file changes nothing.
    public func change(to token: SecretBytes?) {
        state.withLock { current in
            let isSame =
                token.map { new in new.withUnsafeBytes { current?.isEqual(to: $0) ?? false } } ?? (current == nil)
            if !isSame { current = token }
        }
    }
}
