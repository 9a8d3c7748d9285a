// The time that clients and the origin may take, with nginx's name of each in parentheses. All but
// `client_idle_timeout` and `upstream_content_timeout` are deadlines, which bytes do not move
// (FRAMING 6.1): nginx counts from one read to the next where an answer's head, or the body of a
// request, comes slowly. The deadline for such a body has no directive.

extension Directive {
    static let clientTimeouts = [
        duration(
            "client_idle_timeout", \.clientTimeouts.idle, standard: "60s",
            why: "how long a client's connection may stay idle (nginx: keepalive_timeout)"),
        duration(
            "client_head_timeout", \.clientTimeouts.head, standard: "10s",
            why: "from the first byte of a request, or the opening of the connection, to the end of the head "
                + "(client_header_timeout); also for the TLS handshake"),
    ]

    static let upstreamTimeouts = [
        duration(
            "upstream_connect_timeout", \.upstreamTimeouts.connect, standard: "5s",
            why: "to establish a connection: name, TCP and TLS, all addresses together (proxy_connect_timeout)"),
        duration(
            "upstream_response_timeout", \.upstreamTimeouts.response, standard: "60s",
            why: "from the request to the end of the answer's head (proxy_read_timeout before the first byte)"),
        duration(
            "upstream_content_timeout", \.upstreamTimeouts.content, standard: "60s",
            why: "between two reads of an answer's content (proxy_read_timeout); the whole content may take ten times "
                + "as long"),
    ]
}
