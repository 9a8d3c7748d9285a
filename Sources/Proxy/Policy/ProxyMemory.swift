/// Memory of a proxy's parts that no setting bounds, in bytes.
public enum ProxyMemory {
    /// Clients that wait for the answer to another's request.
    public static let waitingBytes = 64 << 20
    /// Answers that wait to be compressed, or are.
    public static let compressionBytes = 32 << 20
    /// Composed answers that are verified, their parts, and what they are compared with.
    public static let verifyingBytes = 64 << 20
    /// Lines that wait for the access log.
    public static let logBytes = 8 << 20
    /// Exchanges that wait to be recorded.
    public static let recordedBytes = 64 << 20
    /// Excerpts of recent answers.
    public static let excerptBytes = 32 << 20
    /// The program, and its knowledge of the origin.
    public static let programBytes = 32 << 20
    /// A connection that rests, and one with TLS (SPEED.md).
    public static let (connectionBytes, secureConnectionBytes) = (1 << 10, 21 << 10)
}
