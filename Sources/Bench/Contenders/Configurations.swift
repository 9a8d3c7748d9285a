// Configurations of the servers. A setting that is there for speed says so; defaults that are best
// stay.

enum Configurations {
    static func refrain(_ folder: String, _ ports: ServerPorts, _ setting: Setting, _ lab: Lab) -> String {
        var lines = [
            "listen 127.0.0.1:\(ports.clients)" + (setting.usesTLS ? " tls" : ""),
            "listen 127.0.0.1:\(ports.plain)",
            "admin_listen 127.0.0.1:\(ports.probe)",
            "upstream http://127.0.0.1:\(lab.origin.ports.clients)",
            "cache_file \(folder)/refrain.sqlite",
            "cache_size 16GiB",
            "memory_size \(setting.memoryMiB)MiB",
            "access_log off",
            // All clients of a benchmark have one address.
            "connections_per_address off",
        ]
        if setting.usesTLS {
            lines += ["tls_certificate \(lab.certificate.file)", "tls_certificate_key \(lab.certificate.keyFile)"]
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// `tcp_nopush` stays off: with it the last segment of a 64 KiB answer waits 40 ms for an
    /// acknowledgement. Files of cached answers stay open, and heads and bodies of usual answers
    /// fit one buffer. The second server block shares the cache and tells hits from misses, which
    /// the first need not do while it is measured.
    static func nginx(_ folder: String, _ ports: ServerPorts, _ setting: Setting, _ lab: Lab) -> String {
        """
        daemon off;
        worker_processes auto;
        worker_rlimit_nofile \(FileDescriptors.limit);
        pid \(folder)/nginx.pid;
        error_log \(folder)/error.log;
        events { worker_connections 16384; multi_accept on; }
        http {
            access_log off;
            sendfile \(setting.usesSendfile ? "on" : "off");
            tcp_nopush off;
            tcp_nodelay on;
            keepalive_requests 1000000000;
            keepalive_timeout 300s;
            open_file_cache max=\(openFiles(besides: setting.clients)) inactive=300s;
            open_file_cache_valid 300s;
            proxy_temp_path \(folder)/proxy;
            client_body_temp_path \(folder)/body;
            fastcgi_temp_path \(folder)/fastcgi;
            uwsgi_temp_path \(folder)/uwsgi;
            scgi_temp_path \(folder)/scgi;
            proxy_cache_path \(folder)/cache levels=1:2 keys_zone=music:\(max(64, setting.entries / 4000))m max_size=16g inactive=1d use_temp_path=off;
            upstream origin { server 127.0.0.1:\(lab.origin.ports.clients); keepalive 64; keepalive_requests 1000000000; }
            proxy_http_version 1.1;
            proxy_set_header Connection "";
            proxy_buffer_size 8k;
            proxy_buffers 16 16k;
            proxy_cache_key $request_uri;
            proxy_cache_valid 200 1d;
            proxy_ignore_headers Cache-Control Expires Vary Set-Cookie;
            server {
                listen 127.0.0.1:\(ports.clients)\(setting.usesTLS ? " ssl" : "")\(setting.usesHTTP2 ? " http2" : "") reuseport backlog=4096;
                \(setting.usesTLS ? tls(lab) : "")
                location / { proxy_cache music; proxy_pass http://origin; }
            }
            server {
                listen 127.0.0.1:\(ports.plain);
                add_header X-Cache-Status $upstream_cache_status;
                location / { proxy_cache music; proxy_pass http://origin; }
            }
        }

        """
    }

    /// Descriptors that connections leave, each of which may have one of its own to the origin.
    private static func openFiles(besides clients: Int) -> Int {
        max(FileDescriptors.limit - clients - 500, FileDescriptors.limit / 4)
    }

    private static func tls(_ lab: Lab) -> String {
        """
        ssl_certificate \(lab.certificate.file);
                ssl_certificate_key \(lab.certificate.keyFile);
                ssl_protocols TLSv1.2 TLSv1.3;
                ssl_session_cache shared:tls:16m;
        """
    }

    static func varnish(_ lab: Lab) -> String {
        """
        vcl 4.1;
        backend default { .host = "127.0.0.1"; .port = "\(lab.origin.ports.clients)"; }
        sub vcl_recv {
            if (req.method == "GET" || req.method == "HEAD") { unset req.http.Cookie; return (hash); }
        }
        sub vcl_backend_response {
            set beresp.ttl = 1d;
            unset beresp.http.Set-Cookie;
            unset beresp.http.Cache-Control;
        }

        """
    }

    /// A thread for every connection that is busy at once, ready before the load comes; answers in
    /// memory; nothing in the log, as the others write none.
    static func varnishArguments(
        _ folder: String, _ file: String, _ ports: ServerPorts, _ setting: Setting
    ) throws -> [String] {
        let parameters = [
            "thread_pools=2", "thread_pool_min=300", "thread_pool_max=2000",
            "http_gzip_support=off",
            "timeout_idle=300", "listen_depth=4096", "vsl_mask=\(try VarnishLog.mask())", "vsl_space=1M",
        ]
        return [
            "-F", "-n", folder + "/work", "-a", "127.0.0.1:\(ports.clients)",
            "-a", "127.0.0.1:\(ports.plain)", "-f", file,
            "-s", "malloc,\(max(setting.memoryMiB, setting.entries / 200))m",
        ] + parameters.flatMap { ["-p", $0] }
    }
}
