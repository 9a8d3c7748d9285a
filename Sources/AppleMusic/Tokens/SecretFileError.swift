// Why a file with a secret is not read.

import Glibc

/// Names the file and what is wrong with it, never anything of its content.
public struct SecretFileError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong with the file.
    enum Reason: Sendable, Equatable {
        /// open(2), fstat(2) or read(2) failed with this errno; `ELOOP` for a symbolic link.
        case system(CInt)
        case notRegularFile
        /// Owned by neither the user of this process nor root.
        case foreignOwner(uid: UInt32)
        /// The group or others have some right: the permission bits of the file.
        case accessibleByOthers(mode: UInt32)
        /// The content is shorter or longer than a secret of this kind can be, in bytes.
        case size(allowed: ClosedRange<Int>)
        /// The content has something other than one token in it.
        case notToken
        /// The token is shorter than that, in bytes.
        case shortToken(leastLength: Int)
    }

    /// The path that was asked for.
    public let path: String
    /// What is wrong with it.
    let reason: Reason

    public var description: String { "\(path): \(explanation)" }

    private var explanation: String {
        switch reason {
        case .system(ELOOP): "is a symbolic link; name the file itself"
        case .system(let number): String(cString: strerror(number))
        case .notRegularFile: "is not a regular file"
        case .foreignOwner(let uid): "belongs to user \(uid), neither to the user running this nor to root"
        case .accessibleByOthers(let mode):
            "has mode 0\(String(mode, radix: 8)): group and others must have no access (chmod 600)"
        case .size(let allowed): "must hold \(allowed.lowerBound) to \(allowed.upperBound) bytes"
        case .notToken: "must hold one token and at most a newline behind it"
        case .shortToken(let least): "must hold a token of at least \(least) bytes"
        }
    }
}
