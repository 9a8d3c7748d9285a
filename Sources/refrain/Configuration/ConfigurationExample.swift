/// A configuration for a purpose, as the man page shows it. A test reads each.
struct ConfigurationExample: Sendable {
    let purpose: String
    let lines: [String]

    static let table = [
        ConfigurationExample(
            purpose: "A proxy for the apps of this machine, which signs its own developer tokens",
            lines: [
                "developer_key_file /etc/refrain/AuthKey.p8", "developer_key_id ABC123DEFG",
                "developer_team_id DEF123GHIJ",
            ]),
        ConfigurationExample(
            purpose: "For the network, with TLS and a key for each client, as a systemd service with LoadCredential=",
            lines: [
                "listen 0.0.0.0:443 tls", "tls_certificate /etc/refrain/cert.pem",
                "tls_certificate_key $CREDENTIALS_DIRECTORY/tls-key",
                "client_keys_file $CREDENTIALS_DIRECTORY/client-keys",
                "developer_token_file $CREDENTIALS_DIRECTORY/apple-token",
            ]),
        ConfigurationExample(
            purpose: "A larger cache, charts asked for more often, albums less",
            lines: ["cache_size 20GiB", "memory_size 512MiB", "ttl charts 5m stale 1d", "ttl albums 7d stale 30d"]),
    ]
}
