import Glibc

/// A system call that failed for a reason other than "would block" or "interrupted".
public struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The call's name as its manual page spells it: "bind".
    let call: String
    /// The value of errno right after the call.
    public let errno: CInt

    public init(call: StaticString, errno: CInt) {
        self.call = call.description
        self.errno = errno
    }

    /// The error of a call that has just returned -1 on this thread.
    static func last(_ call: StaticString) -> SystemError {
        SystemError(call: call, errno: Glibc.errno)
    }

    /// "bind: Address already in use"
    public var description: String {
        var text = [CChar](repeating: 0, count: 128)
        guard strerror_r(errno, &text, text.count) == 0 else { return "\(call): error \(errno)" }
        let bytes = text.prefix { $0 != 0 }.map(UInt8.init(truncatingIfNeeded:))
        return "\(call): \(String(decoding: bytes, as: UTF8.self))"
    }
}
