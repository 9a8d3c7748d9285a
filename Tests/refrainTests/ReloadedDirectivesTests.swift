import AppleMusic
import EventLoop
import Glibc
import Store
import TestSupport
import Testing

@testable import Admin
@testable import Cache
@testable import Proxy
@testable import Server
@testable import refrain

/// A directive that a reload ignores looks like one that was changed.
@Suite(.timeLimit(.minutes(10))) struct ReloadedDirectivesTests {
    /// Another value of a directive.
    private struct Change {
        /// Lines that both configurations have besides.
        var with: [String] = []
        /// None: the directive is not set before.
        var before: String?
        let after: String
    }

    /// Each reload makes these objects anew from files; `listen ... tls` needs all of them.
    private static let madeAnew = ["tls_certificate", "tls_certificate_key", "http2"]

    private static func changes(_ folder: TemporaryFolder) throws -> [String: Change] {
        let pem = try SigningKey.generatePEM().withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        let key = try folder.put(pem, "key.p8", mode: 0o600)
        let secret = try folder.put("a-secret-of-some-length", "secret", mode: 0o600)
        let keys = try folder.put("phone \(String(repeating: "a", count: 40))\n", "keys", mode: 0o600)
        let anchors = try folder.put(ThrowawayAuthority().certificatePEM(), "ca.pem", mode: 0o600)
        func signing(_ name: String, _ before: String?, _ after: String) -> Change {
            let lines = [
                ("developer_key_file", key), ("developer_key_id", "KEY1"), ("developer_team_id", "TEAM1"),
            ].filter { $0.0 != name }.map { "\($0.0) \($0.1)" }
            return Change(with: lines, before: before, after: after)
        }
        var changes = simple.mapValues { Change(after: $0) }
        for name in ["admin", "developer", "music_user"] { changes["\(name)_token_file"] = Change(after: secret) }
        changes["client_keys_file"] = Change(after: keys)
        changes["upstream_ca_file"] = Change(after: anchors)
        changes["record"] = Change(after: folder.file("traffic.jsonl"))
        changes["developer_key_file"] = Change(
            with: [], before: nil, after: "\(key)\ndeveloper_key_id KEY1\ndeveloper_team_id TEAM1")
        changes["developer_key_id"] = signing("developer_key_id", "KEY1", "KEY2")
        changes["developer_team_id"] = signing("developer_team_id", "TEAM1", "TEAM2")
        changes["developer_token_lifetime"] = signing("developer_token_lifetime", nil, "1h")
        return changes
    }

    private static let simple = [
        "listen": "127.0.0.2:0", "admin_listen": "off", "connections_per_address": "7",
        "trusted_proxy": "10.0.0.0/8", "request_memory": "32MiB", "answer_memory": "32MiB",
        "client_idle_timeout": "17s", "client_head_timeout": "17s", "upstream": "http://127.0.0.1:9",
        "upstream_connections": "32", "upstream_rate": "7/s", "upstream_connect_timeout": "17s",
        "upstream_response_timeout": "17s", "upstream_content_timeout": "17s", "forward_fields": "X-Gateway",
        "other": "refuse", "health": "/healthz", "cache_check": "2MiB/s", "ttl": "albums 17s", "ttl_speed": "2",
        "compose": "off",
        "verify_sample": "7%", "windows": "off", "batch": "off", "superset_includes": "off",
        "documented_forms": "off", "next": "complete", "cors_origin": "https://app.example.com",
        "cors_headers": "X-App", "access_log": "stderr json", "log_level": "debug",
    ]

    private static func configuration(
        _ name: String, _ value: String?, with others: [String], _ folder: TemporaryFolder
    ) throws -> Configuration {
        // The defaults of these are other programs' ports and files.
        let base = [
            "listen": "127.0.0.1:0", "admin_listen": "127.0.0.1:0", "access_log": "off", "workers": "1",
            "cache_file": folder.file("cache.sqlite"),
        ]
        let settings = value.map { base.merging([name: $0]) { $1 } } ?? base
        let lines = settings.map { "\($0.key) \($0.value)" } + others
        let path = try folder.put(lines.joined(separator: "\n"), "proxy.conf", mode: 0o600)
        return try ConfigurationReader.read(path, files: .system).configuration
    }

    /// The settings that are in effect, in words that change with them alone.
    private static func effects(_ proxy: RunningProxy, _ log: OperationalLog, _ output: CapturedOutput) -> [String] {
        let settings = proxy.running.withLock { $0.settings }
        let worker = proxy.server.workers[0]
        let (parts, timeouts, gateways) = worker.loop.sync {
            let loop = worker.service.proxy
            return (Self.parts(of: loop), worker.server.timeouts, loop.base.context.trustedProxies)
        }
        let shared = settings.shared
        let written = output.error.count
        log(.debug, "probe")
        let claims = settings.service.credentials.developer.map {
            try? TokenClaims(token: $0.current(at: Int64(time(nil))))
        }
        let claimed = claims.map { [$0?.keyID, $0?.issuer, "\(($0?.expires ?? 0) - ($0?.issuedAt ?? 0))"] }
        let (admin, store) = (proxy.running.withLock { $0.admin }, shared.cache.file)
        return parts + [
            "\(timeouts)", "\(gateways as Any)", "\(settings)",
            "\(settings.upstreamTLS.map(ObjectIdentifier.init) as Any)", "\(proxy.addresses.map(\.host))",
            "\(claimed as Any)", "\(admin == nil)", "\(admin?.access.token == nil)", "\(output.error.count > written)",
            "\(store?.records.checkRate as Any)", "\(proxy.server.recording.configured as Any)",
        ]
    }

    /// The settings that the parts of a loop's proxy have; of objects no more than their types.
    private static func parts(of proxy: ProxyLoop) -> [String] {
        let parts: [AnyObject] = [
            proxy.accounts, proxy.answering, proxy.asking, proxy.composing, proxy.composed,
            proxy.verifying, proxy.storing, proxy.batching, proxy.sharing,
        ]
        let values = parts.flatMap { part in Mirror(reflecting: part).children.map { "\($0.label ?? "") \($0.value)" } }
        return values + ["\(proxy.storing.library.settings)"]
    }

    @Test func aReloadCarriesOutEveryDirectiveOrRefusesIt() throws {
        let folder = try TemporaryFolder()
        let changes = try Self.changes(folder)
        let known = Set(Directive.table.filter { !$0.needsRestart }.map(\.name))
        #expect(Set(changes.keys).union(Self.madeAnew).subtracting(known).isEmpty, "values of what is gone")
        let (captured, start) = (CapturedOutput(), try Self.configuration("", nil, with: [], folder))
        let log = OperationalLog(level: .info, captured.output.error)
        let proxy = try RunningProxy(start, log)
        defer { proxy.stop() }
        for directive in Directive.table where !directive.needsRestart && directive.name != Directive.include {
            let name = directive.name
            guard !Self.madeAnew.contains(name) else { continue }
            let change = try #require(changes[name], "name another value of \(name) here")
            let before = try Self.configuration(name, change.before, with: change.with, folder)
            try proxy.adopt(before)
            let first = Self.effects(proxy, log, captured)
            try proxy.adopt(before)
            #expect(Self.effects(proxy, log, captured) == first, "\(name): settings changed by themselves")
            try proxy.adopt(Self.configuration(name, change.after, with: change.with, folder))
            #expect(
                Self.effects(proxy, log, captured) != first,
                "\(name): a reload changes nothing; hand it on in ProxyServer.adopt or RunningProxy.adopt, or say needsRestart"
            )
        }
    }
}
