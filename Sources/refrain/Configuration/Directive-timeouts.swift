// How long clients and the origin may take: names and meanings as nginx has them.
extension Directive {
    static let clientTimeouts = [
        timeout(
            "client_idle_timeout", \.clientTimeouts.idle, standard: "60s",
            why: "how long a client's connection is kept without a request (nginx: keepalive_timeout)"),
        timeout(
            "client_head_timeout", \.clientTimeouts.head, standard: "10s",
            why: "from a request's first byte, or the connection's opening, to the head's end (client_header_timeout)"),
    ]

    static let upstreamTimeouts = [
        timeout(
            "upstream_connect_timeout", \.upstreamTimeouts.connect, standard: "5s",
            why: "for a connection to be usable: name, TCP and TLS, all addresses together (proxy_connect_timeout)"),
        timeout(
            "upstream_response_timeout", \.upstreamTimeouts.response, standard: "60s",
            why: "from the request to the end of the answer's head (proxy_read_timeout before the first byte)"),
        timeout(
            "upstream_content_timeout", \.upstreamTimeouts.content, standard: "60s",
            why: "between two reads of an answer's content (proxy_read_timeout); ten times as long for all of it"),
    ]

    private static func timeout(
        _ name: String, _ field: Field<Duration>, standard: String, why: String
    ) -> Directive {
        Directive(name, "DURATION", defaults: [standard], why: why) { configuration, words throws(ValueError) in
            let timeout = try Quantity.duration(words[0])
            guard timeout >= .milliseconds(10), timeout <= .seconds(86_400) else {
                throw ValueError(words[0], isNot: "between 10ms and 1d")
            }
            configuration[keyPath: field] = timeout
        }
    }
}
