/// Fields by which a server speaks about its own host; tests show that none reaches a client.
public enum HostFields {
    /// Names in lower case: those that `FieldName.hostPolicy` stands for, and the six of CORS.
    public static let names =
        policies + [
            "access-control-allow-origin", "access-control-allow-credentials", "access-control-allow-headers",
            "access-control-allow-methods", "access-control-expose-headers", "access-control-max-age",
        ]

    public static let policies = [
        "strict-transport-security", "alt-svc", "alternate-protocol", "nel", "report-to", "reporting-endpoints",
        "clear-site-data", "public-key-pins", "public-key-pins-report-only", "expect-ct", "expect-staple",
        "expect-staple-report-only", "service-worker-allowed", "accept-ch", "accept-ch-lifetime", "critical-ch",
        "origin-agent-cluster", "origin-isolation", "origin-policy", "origin-trial", "set-login",
        "use-as-dictionary", "sec-session-registration", "secure-session-registration", "observe-browsing-topics",
        "attribution-reporting-register-source", "attribution-reporting-register-trigger", "timing-allow-origin",
        "access-control-allow-private-network", "x-permitted-cross-domain-policies", "x-accel-redirect",
        "x-accel-expires", "x-accel-limit-rate", "x-accel-buffering", "x-accel-charset", "x-sendfile",
        "x-lighttpd-send-file", "x-litespeed-location", "x-reproxy-url",
    ]

    /// The name with each letter in a random case.
    public static func spelling(_ name: String, using random: inout SeededGenerator) -> String {
        String(name.map { Bool.random(using: &random) ? Character($0.uppercased()) : $0 })
    }

    /// Field lines, each with its end: some of `names` in random spellings.
    public static func lines(using random: inout SeededGenerator) -> String {
        names.shuffled(using: &random).prefix(.random(in: 1...names.count, using: &random)).map {
            "\(spelling($0, using: &random)): canary\r\n"
        }.joined()
    }
}
