import Testing

@testable import refrain

@Suite struct ConfigurationChecksTests {
    @Test func tlsNeedsACertificateAndItsKey() {
        #expect(complaints("listen 127.0.0.1:443 tls\ntls_certificate cert.pem\ntls_certificate_key k").isEmpty)
        #expect(
            complaints("listen 127.0.0.1:443 tls\ntls_certificate cert.pem")
                == ["proxy.conf:1: listen: tls needs tls_certificate_key"])
    }

    @Test func oneAddressIsTakenOnce() {
        #expect(
            complaints("listen 127.0.0.1:1\nlisten localhost:1")
                == ["proxy.conf:2: listen: 127.0.0.1:1 is already taken at proxy.conf:1"])
        #expect(
            complaints("admin_listen 127.0.0.1:8080")
                == ["proxy.conf:1: admin_listen: 127.0.0.1:8080 is already taken by the default of listen"])
        #expect(
            complaints("listen localhost:1\nlisten [0:0::1]:1").allSatisfy {
                $0 == "proxy.conf:2: listen: [::1]:1 is already taken at proxy.conf:1"
            })
        #expect(complaints("listen 127.0.0.1:0\nlisten 127.0.0.1:0\nadmin_listen 127.0.0.1:0").isEmpty)
    }

    /// `check` was silent, and `serve` ended with "Address already in use".
    @Test func allAddressesOfAPortTakeEachOfThem() {
        #expect(
            complaints("listen 0.0.0.0:1\nlisten 127.0.0.1:1")
                == ["proxy.conf:2: listen: 127.0.0.1:1 is already taken by 0.0.0.0:1 at proxy.conf:1"])
        #expect(
            complaints("listen [::1]:1\nadmin_listen [::]:1\nadmin_token_file t")
                == ["proxy.conf:2: admin_listen: [::]:1 is already taken by [::1]:1 at proxy.conf:1"])
        #expect(complaints("listen *:1\nlisten [::]:1\nlisten *:2").isEmpty)
    }

    @Test func anAdminListenerForTheNetworkNeedsAToken() {
        #expect(
            complaints("admin_listen 0.0.0.0:8081")
                == ["proxy.conf:1: admin_listen: 0.0.0.0:8081 is not a loopback address and needs admin_token_file"])
        #expect(complaints("admin_listen 0.0.0.0:8081\nadmin_token_file t").isEmpty)
        #expect(complaints("admin_listen off").isEmpty)
    }

    @Test func aUserTokenIsNotLentToTheNetwork() {
        #expect(complaints("music_user_token_file t").isEmpty)
        #expect(
            complaints("listen [::]:80\nlisten 127.0.0.1:80\nmusic_user_token_file t") == [
                "proxy.conf:3: music_user_token_file: anyone who reaches [::]:80 could use this account; set client_keys_file"
            ])
        #expect(complaints("listen [::]:80\nmusic_user_token_file t\nclient_keys_file k").isEmpty)
    }

    @Test func thereIsOneWayToADeveloperToken() {
        let key = "developer_key_file k\ndeveloper_key_id A\ndeveloper_team_id B"
        #expect(complaints(key).isEmpty)
        #expect(complaints("developer_token_file t").isEmpty)
        let found = complaints("developer_token_file t\n" + key)
        #expect(found.count == 1 && found[0].hasPrefix("proxy.conf:2: developer_key_file: developer_token_file"))
    }

    @Test func aKeyNeedsItsIdentifierAndTeam() {
        #expect(
            complaints("\ndeveloper_key_file k")
                == ["proxy.conf:2: developer_key_file: needs developer_key_id and developer_team_id as well"])
        #expect(
            complaints("developer_team_id B\ndeveloper_key_id A")
                == ["proxy.conf:2: developer_key_id: needs developer_key_file as well"])
    }

    @Test(arguments: [
        "tls_certificate_key", "admin_token_file", "developer_token_file", "music_user_token_file", "client_keys_file",
    ])
    func everySecretFileIsChecked(_ name: String) {
        #expect(
            complaints("\(name) 'my file'", problems: ["my file": "open to group or others"])
                == ["proxy.conf:1: \(name): \"my file\": open to group or others"])
    }

    @Test func theDeveloperKeyIsChecked() {
        #expect(
            complaints(
                "developer_key_id A\ndeveloper_team_id B\ndeveloper_key_file k", problems: ["k": "no regular file"])
                == ["proxy.conf:3: developer_key_file: \"k\": no regular file"])
    }

    @Test func certificatesMustBeReadable() {
        #expect(
            complaints("upstream_ca_file x\ntls_certificate y") == [
                "proxy.conf:1: upstream_ca_file: \"x\": No such file or directory",
                "proxy.conf:2: tls_certificate: \"y\": No such file or directory",
            ])
    }
}
