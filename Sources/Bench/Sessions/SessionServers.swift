import Foundation

/// Refrain and nginx as they are set up for the traces: the same lifetimes, everything else as an
/// expert would.
enum SessionServers {
    static let refrainPort = 18080, adminPort = 18081, nginxPort = 18082
    /// How long what was fetched is fresh, in seconds: longer than any trace.
    private static let lifetime = 365 * 86_400

    static func refrain(_ workspace: Workspace) throws -> Child {
        let configuration = try workspace.write(
            """
            listen 127.0.0.1:\(refrainPort)
            admin_listen 127.0.0.1:\(adminPort)
            upstream http://127.0.0.1:\(CountedOrigin.port)
            cache_file \(workspace.path)/refrain.sqlite
            memory_size 512MiB
            access_log off
            verify_sample off
            ttl catalog \(lifetime)s
            ttl charts \(lifetime)s
            ttl search \(lifetime)s
            ttl storefronts \(lifetime)s
            ttl not-found 60s
            """, to: "refrain.conf")
        return try Child(
            Programs.refrain, ["serve", "--config", configuration], log: workspace.path + "/refrain.log")
    }

    /// nil when nginx is not installed. It cannot put parameters in order or read bodies; what it
    /// can do is ignore what the origin says of freshness and variants, let those who ask for the
    /// same wait for one request, revalidate, serve stale when the origin fails, and keep its
    /// connections.
    ///
    /// Both count whole seconds, nginx up to and including the last one: it gets a second less for
    /// the same lifetime.
    static func nginx(_ workspace: Workspace) throws -> Child? {
        guard let nginx = Child.find("nginx") else { return nil }
        let configuration = try workspace.write(
            """
            daemon off;
            worker_processes auto;
            pid \(workspace.path)/nginx.pid;
            error_log \(workspace.path)/nginx-error.log;
            events { worker_connections 4096; }
            http {
                access_log off;
                keepalive_requests 1000000000;
                keepalive_timeout 75s;
                large_client_header_buffers 8 32k;
                proxy_temp_path \(workspace.path)/nginx-proxy;
                client_body_temp_path \(workspace.path)/nginx-body;
                fastcgi_temp_path \(workspace.path)/nginx-fastcgi;
                uwsgi_temp_path \(workspace.path)/nginx-uwsgi;
                scgi_temp_path \(workspace.path)/nginx-scgi;
                proxy_cache_path \(workspace.path)/nginx-cache levels=1:2 keys_zone=music:64m max_size=4g inactive=365d use_temp_path=off;
                upstream origin { server 127.0.0.1:\(CountedOrigin.port); keepalive 64; }
                server {
                    listen 127.0.0.1:\(nginxPort) reuseport backlog=4096;
                    location / {
                        proxy_pass http://origin;
                        proxy_http_version 1.1;
                        proxy_set_header Connection "";
                        proxy_buffers 64 16k;
                        proxy_cache music;
                        proxy_cache_key $request_uri;
                        proxy_cache_valid 200 \(lifetime - 1)s;
                        proxy_cache_valid 404 59s;
                        proxy_cache_lock on;
                        proxy_cache_revalidate on;
                        proxy_cache_use_stale error timeout updating http_429 http_500 http_502 http_503 http_504;
                        proxy_cache_background_update on;
                        proxy_ignore_headers Cache-Control Expires Vary Set-Cookie;
                    }
                }
            }
            """, to: "nginx.conf")
        return try Child(nginx, ["-c", configuration, "-p", workspace.path], log: workspace.path + "/nginx.log")
    }
}
