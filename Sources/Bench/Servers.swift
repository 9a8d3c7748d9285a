import Foundation

/// A folder of its own for configurations, caches and logs; removed at the end.
final class Workspace {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "refrain-bench-\(ProcessInfo.processInfo.processIdentifier)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    func write(_ text: String, to name: String) throws -> String {
        let file = path + "/" + name
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        return file
    }

    func remove() {
        try? FileManager.default.removeItem(atPath: path)
    }
}

/// The servers that are compared, each configured as its experts would for this: all cores, no access log, long-lived
/// connections.
enum Servers {
    static let simulatorPort = 18090, refrainPort = 18080, adminPort = 18081, nginxPort = 18082

    static func refrainPath() -> String {
        URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().appendingPathComponent("refrain")
            .path
    }

    static func simulator(_ workspace: Workspace) throws -> Child {
        try Child(
            refrainPath(), ["simulate", "--listen", "127.0.0.1:\(simulatorPort)", "--no-auth"],
            log: workspace.path + "/simulator.log")
    }

    static func refrain(_ workspace: Workspace) throws -> Child {
        let configuration = try workspace.write(
            """
            listen 127.0.0.1:\(refrainPort)
            admin_listen 127.0.0.1:\(adminPort)
            upstream http://127.0.0.1:\(simulatorPort)
            cache_file \(workspace.path)/refrain.sqlite
            access_log off
            """, to: "proxy.conf")
        return try Child(refrainPath(), ["serve", "--config", configuration], log: workspace.path + "/refrain.log")
    }

    /// nil when nginx is not installed.
    static func nginx(_ workspace: Workspace) throws -> Child? {
        guard let nginx = Child.find("nginx") else { return nil }
        let configuration = try workspace.write(
            """
            daemon off;
            worker_processes auto;
            pid \(workspace.path)/nginx.pid;
            error_log \(workspace.path)/nginx-error.log;
            events { worker_connections 16384; multi_accept on; }
            http {
                access_log off;
                sendfile on;
                tcp_nopush on;
                keepalive_requests 1000000000;
                keepalive_timeout 75s;
                open_file_cache max=10000 inactive=60s;
                proxy_temp_path \(workspace.path)/nginx-proxy;
                client_body_temp_path \(workspace.path)/nginx-body;
                fastcgi_temp_path \(workspace.path)/nginx-fastcgi;
                uwsgi_temp_path \(workspace.path)/nginx-uwsgi;
                scgi_temp_path \(workspace.path)/nginx-scgi;
                proxy_cache_path \(workspace.path)/nginx-cache levels=1:2 keys_zone=music:16m max_size=1g inactive=1d use_temp_path=off;
                upstream origin { server 127.0.0.1:\(simulatorPort); keepalive 64; }
                server {
                    listen 127.0.0.1:\(nginxPort) reuseport backlog=4096;
                    location / {
                        proxy_pass http://origin;
                        proxy_http_version 1.1;
                        proxy_set_header Connection "";
                        proxy_cache music;
                        proxy_cache_key $request_uri;
                        proxy_cache_valid 200 1d;
                        proxy_ignore_headers Cache-Control Expires Vary Set-Cookie;
                    }
                }
            }
            """, to: "nginx.conf")
        return try Child(
            nginx, ["-c", configuration, "-p", workspace.path], log: workspace.path + "/nginx.log")
    }

    /// Waits until something answers on the port; the body of `path`.
    static func waitFor(_ port: Int, _ path: String) throws -> Data {
        guard let curl = Child.find("curl") else { throw BenchError("curl is not installed") }
        for _ in 0..<100 {
            let text = try Child.output(of: curl, ["-s", "-f", "http://127.0.0.1:\(port)\(path)"])
            if !text.isEmpty { return Data(text.utf8) }
            usleep(50_000)
        }
        throw BenchError("nothing answers at 127.0.0.1:\(port)\(path)")
    }
}
