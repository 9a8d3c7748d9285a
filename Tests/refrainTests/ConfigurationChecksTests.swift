import Testing

@testable import refrain

@Suite struct ConfigurationChecksTests {
    /// Lines that are valid each by itself, and the complaint about them together; nil for none.
    @Test(
        arguments: [
            ("listen 127.0.0.1:443 tls\ntls_certificate cert.pem\ntls_certificate_key k", nil),
            ("listen 127.0.0.1:443 tls\ntls_certificate cert.pem", "1: listen: tls needs tls_certificate_key"),
            ("tls_certificate y", "1: tls_certificate: \"y\": No such file or directory"),
            ("upstream_ca_file x", "1: upstream_ca_file: \"x\": No such file or directory"),
            // One address is taken once.
            ("listen 127.0.0.1:1\nlisten localhost:1", "2: listen: 127.0.0.1:1 is already taken at proxy.conf:1"),
            (
                "admin_listen 127.0.0.1:8080",
                "1: admin_listen: 127.0.0.1:8080 is already taken by the default of listen"
            ),
            ("listen 127.0.0.1:0\nlisten 127.0.0.1:0\nadmin_listen 127.0.0.1:0", nil),
            // `check` was silent, and `serve` ended with "Address already in use".
            (
                "listen 0.0.0.0:1\nlisten 127.0.0.1:1",
                "2: listen: 127.0.0.1:1 is already taken by 0.0.0.0:1 at proxy.conf:1"
            ),
            (
                "listen [::1]:1\nadmin_listen [::]:1\nadmin_token_file t",
                "2: admin_listen: [::]:1 is already taken by [::1]:1 at proxy.conf:1"
            ),
            ("listen *:1\nlisten [::]:1\nlisten *:2", nil),
            // Listeners and accounts that the network reaches need a secret.
            (
                "admin_listen 0.0.0.0:8081",
                "1: admin_listen: 0.0.0.0:8081 is not a loopback address and needs admin_token_file"
            ),
            ("admin_listen 0.0.0.0:8081\nadmin_token_file t", nil), ("admin_listen off", nil),
            (
                "listen [::]:80\nlisten 127.0.0.1:80\nmusic_user_token_file t",
                "3: music_user_token_file: any client that reaches [::]:80 could use this account; set client_keys_file"
            ),
            ("music_user_token_file t", nil), ("listen [::]:80\nmusic_user_token_file t\nclient_keys_file k", nil),
            // Ways to a developer token.
            ("developer_key_file k\ndeveloper_key_id A\ndeveloper_team_id B", nil), ("developer_token_file t", nil),
            ("\ndeveloper_key_file k", "2: developer_key_file: needs developer_key_id and developer_team_id as well"),
            ("developer_team_id B\ndeveloper_key_id A", "2: developer_key_id: needs developer_key_file as well"),
            // Each is set once.
            ("workers 1\n\nworkers 2", "3: workers is already set at proxy.conf:1"),
            ("ttl songs 1d\nttl albums 1d\nttl songs 2d", "3: ttl songs is already set at proxy.conf:1"),
            // The tier.
            (
                "shared_tier redis://cache\nshared_tier_ca_file ca.pem",
                "2: shared_tier_ca_file: applies only to a shared_tier with rediss://"
            ),
            (
                "shared_tier rediss://a\nshared_tier_ca_file x",
                "2: shared_tier_ca_file: \"x\": No such file or directory"
            ),
        ] as [(String, String?)])
    func settingsHaveToGoTogether(lines: String, complaint: String?) {
        #expect(complaints(lines) == (complaint.map { ["proxy.conf:" + $0] } ?? []))
    }

    @Test func localhostIsTakenWithEachOfItsAddresses() {
        #expect(
            complaints("listen localhost:1\nlisten [0:0::1]:1").allSatisfy {
                $0 == "proxy.conf:2: listen: [::1]:1 is already taken at proxy.conf:1"
            })
    }

    @Test func thereIsOneWayToADeveloperToken() {
        let key = "developer_key_file k\ndeveloper_key_id A\ndeveloper_team_id B"
        let found = complaints("developer_token_file t\n" + key)
        #expect(found.count == 1 && found[0].hasPrefix("proxy.conf:2: developer_key_file: developer_token_file"))
    }

    @Test(arguments: [
        ("tls_certificate_key", ""), ("admin_token_file", ""), ("developer_token_file", ""),
        ("music_user_token_file", ""), ("client_keys_file", ""),
        ("developer_key_file", "\ndeveloper_key_id A\ndeveloper_team_id B"),
        ("shared_tier_auth_file", "\nshared_tier redis://cache"),
    ])
    func everySecretFileIsChecked(name: String, others: String) {
        #expect(
            complaints("\(name) 'my file'" + others, problems: ["my file": "open to group or others"])
                == ["proxy.conf:1: \(name): \"my file\": open to group or others"])
    }
}
