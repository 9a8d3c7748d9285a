import EventLoop
import Glibc

/// Why a recording cannot be read or written. It quotes nothing of the file.
public enum RecordingError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The file could not be opened or read; `code` is `errno`.
    case cannotRead(path: String, code: CInt)
    /// The file could not be made or written; `code` is `errno`.
    case cannotWrite(path: String, code: CInt)
    /// Another user may have laid the file there.
    case untrusted(FileObjection)
    /// A line is malformed; lines count from 1.
    case badLine(path: String, line: Int, reason: String)
    /// A file without lines, such as HAR, or a file of bodies, is malformed.
    case badFile(path: String, reason: String)
    /// A file that has to be read whole has more than `most` bytes.
    case tooLarge(path: String, most: Int)
    /// It has no exchange.
    case empty(path: String)

    public var description: String {
        switch self {
        case .cannotRead(let path, let code), .cannotWrite(let path, let code):
            path + ": " + String(cString: strerror(code))
        case .untrusted(let objection): objection.description
        case .badLine(let path, let line, let reason): path + ":" + String(line) + ": " + reason
        case .badFile(let path, let reason): path + ": " + reason
        case .tooLarge(let path, let most):
            "\(path): larger than \(most >> 20) MiB, the limit for files other than recordings"
        case .empty(let path): path + ": no recorded response in it"
        }
    }
}
