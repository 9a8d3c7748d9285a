import EventLoop

extension Endpoint {
    /// The value of the `Host` field (RFC 9110, 7.2): the port only where it is not the scheme's
    /// own. Of the configuration alone, never of anything that a client sent (FRAMING 1.4).
    public var authority: String {
        port == (isTLS ? 443 : 80) ? hostBeforePort : description
    }
}
