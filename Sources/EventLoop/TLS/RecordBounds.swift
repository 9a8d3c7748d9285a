/// Bounds the records and handshake messages of a TLS peer that bring no content: key updates,
/// tickets, attempts to renegotiate, alerts, empty records (RFC 8446 4.6, 5.1, 6). Pure.
///
/// The bound is a connection's own, so that no peer spends another's. Content in between does not
/// renew it: a peer could send a byte after each key update. Go closes after 16 in a row
/// (`maxUselessRecords` of crypto/tls).
struct RecordBounds {
    /// Records and messages of one handshake. The largest in use have some 20: a chain of 20 KB in
    /// records of one packet each.
    static let mostOfHandshake = 256
    /// Records without content that may come at once after it, and how many more a second. Servers
    /// send up to some ten tickets; a key lasts for 2^24 records (RFC 8446 5.5).
    static let (burst, perSecond) = (32, 1)

    private var handshakeCount = 0
    private var isEstablished = false
    /// A record has begun, and neither content nor a message of it has come.
    private var hasOpenRecord = false
    /// When the next would be due if they came evenly: the generic cell rate algorithm.
    private var due = Instant(nanoseconds: .min)
    /// Whether the peer has sent more than it may.
    private(set) var areExceeded = false

    /// The handshake is over.
    mutating func establish() { (isEstablished, hasOpenRecord) = (true, false) }

    /// The head of a record has come. The record before it is without content if none has come
    /// since.
    @inline(__always)
    mutating func noteRecord(at now: Instant) {
        if hasOpenRecord || !isEstablished { count(at: now) }
        hasOpenRecord = true
    }

    /// A whole handshake message has come; a record holds hundreds of small ones.
    mutating func noteMessage(at now: Instant) {
        hasOpenRecord = false
        count(at: now)
    }

    /// Content of the latest record has come.
    @inline(__always)
    mutating func noteContent() { hasOpenRecord = false }

    private mutating func count(at now: Instant) {
        guard isEstablished else {
            handshakeCount += 1
            if handshakeCount > Self.mostOfHandshake { areExceeded = true }
            return
        }
        let interval = Duration.seconds(1) / Self.perSecond
        let expected = max(due, now)
        if expected - now > interval * (Self.burst - 1) { areExceeded = true }
        due = expected + interval
    }
}
