// Why a file with a secret is not read.

import EventLoop

/// Names the file and its fault, never anything of its content.
public struct SecretFileError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The fault of the file.
    enum Reason: Sendable, Equatable {
        case notPrivate(PrivateFile.Objection)
        /// The content is shorter or longer than a secret of this kind can be, in bytes.
        case size(allowed: ClosedRange<Int>)
        /// The content has something other than one token in it.
        case notToken
        /// The content is a whole Authorization value.
        case hasScheme
        /// The token is shorter than that, in bytes.
        case shortToken(leastLength: Int)
    }

    /// The path that was asked for.
    public let path: String
    /// The fault.
    let reason: Reason

    public var description: String { "\(path): \(explanation)" }

    /// The error of the call that failed; nil where the file was refused for what it is.
    public var errno: CInt? {
        if case .notPrivate(.system(let number)) = reason { number } else { nil }
    }

    /// Whether the path leads to something other than a file.
    public var isNoRegularFile: Bool { reason == .notPrivate(.notRegularFile) }

    /// The fault without the path.
    public var explanation: String {
        switch reason {
        case .notPrivate(let objection): objection.description
        case .size(SecretFile.keySizes):
            "must contain a private key in PEM, \(SecretFile.keySizes.lowerBound) to \(SecretFile.maxBytes) bytes"
        case .size(let allowed): "must contain \(allowed.lowerBound) to \(allowed.upperBound) bytes"
        case .hasScheme: "must contain only the token, without \"Bearer \""
        case .notToken: "must contain one token, of printable characters"
        case .shortToken(let least): "must contain a token of at least \(least) bytes"
        }
    }
}
