/// Why a request cannot be understood: 400 to a client, a usage error on the command line.
public struct AdminRequestError: Error, Equatable {
    /// A sentence with the mistake and the expected value; without quotation marks.
    public let detail: String

    /// `detail` without its full stop, as messages of commands end.
    public var sentence: String { detail.hasSuffix(".") ? String(detail.dropLast()) : detail }

    /// The name of a member or parameter that is not ours, where it is harmless to repeat.
    static func shown(_ name: String, otherwise: String) -> String {
        let isWord = name.utf8.allSatisfy { byte in
            UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
                || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
        }
        return isWord && (1...32).contains(name.utf8.count) ? name : otherwise
    }
}
