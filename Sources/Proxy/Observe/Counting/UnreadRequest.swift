import HTTP
import Server

/// A request that was answered with an error before it was read to its end.
struct UnreadRequest {
    let status: Int
    /// Bytes of content that went to the client.
    let contentLength: Int
    /// Lower-case words and hyphens.
    let cause: String
    /// `-` where it is not known.
    private(set) var method = [UInt8(ascii: "-")]
    /// The target as `ShownTarget` has it.
    private(set) var target = [UInt8(ascii: "-")]

    /// To be made before the answer is sent: the bytes of the request are gone then.
    /// - Parameter cause: lower-case words.
    init(status: Int, contentLength: Int, because cause: String, on connection: ClientConnection) {
        (self.status, self.contentLength) = (status, contentLength)
        self.cause = cause.replacing(" ", with: "-")
        let parts = connection.withBegunBytes { bytes in
            let line = BegunRequestLine(bytes)
            return (
                line.method.map { bytes.extracting($0).copy() },
                line.target.map { ShownTarget.bytes(of: bytes.extracting($0), for: nil) }
            )
        }
        if let method = parts?.0 { self.method = method }
        if let target = parts?.1 { self.target = target }
    }
}
