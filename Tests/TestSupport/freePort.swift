import Foundation

private struct NoFreePort: Error {}

/// A port of the loopback that is nobody's now. It may be another's a moment later: who starts a
/// server there tries again with another one where it ends at once.
public func freePort() throws -> UInt16 {
    let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
        }
    }
    guard isBound else { throw NoFreePort() }
    return UInt16(bigEndian: address.sin_port)
}
