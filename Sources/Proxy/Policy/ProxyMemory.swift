/// Memory of a proxy's parts that no setting bounds, in bytes.
public enum ProxyMemory {
    /// Clients that wait for the answer to another's request.
    public static let waitingBytes = 64 << 20
    /// Answers that wait to be compressed, or are.
    public static let compressionBytes = 32 << 20
    /// On each loop, in one turn: the answers that one composition reads from the file, coded and
    /// inflated (16 MiB); one more that turns out to be too large, with the buffer that it was read
    /// into (16 MiB), or the composed answer (8 MiB); maps and pieces (8 MiB). See `SourceReading`.
    public static let composingBytes = 40 << 20
    /// Composed answers that are verified, their parts, and what they are compared with.
    public static let verifyingBytes = 64 << 20
    /// Lines that wait for the access log.
    public static let logBytes = 8 << 20
    /// Lines for one reader of requests (`Tail`): those that wait, and those on their way.
    public static let tailBytes = 1 << 20
    /// Exchanges that wait to be recorded.
    public static let recordedBytes = 64 << 20
    /// Excerpts of recent answers.
    public static let excerptBytes = 32 << 20
    /// The program, and its knowledge of the origin.
    public static let programBytes = 32 << 20
    /// A connection that rests, and one with TLS (SPEED.md).
    public static let (connectionBytes, secureConnectionBytes) = (1 << 10, 21 << 10)
}
