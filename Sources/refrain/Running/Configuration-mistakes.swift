import AppleMusic
import EventLoop
import Proxy
import Text

// Settings that are taken as they are written, and are likely meant otherwise.

extension Configuration {
    /// Paths of files that are made where there are none, as a shell would have changed them.
    var literalPaths: [String] {
        var paths = [("cache_file", cacheFile), ("record", recording?.settings.path)]
        if case .file(let path) = accessLog.destination { paths.append(("access_log", path)) }
        paths.append(("admin_listen", adminListener?.address.path))
        return paths.compactMap { name, path in
            guard let path, LiteralPath.isOne(path) else { return nil }
            return "\(name) \(path): \(LiteralPath.words); write the full path, or ./\(path) for a file of that name"
        }
    }

    /// Clients in conditions of the access log that no key is of: such a condition never holds, or
    /// always. A file of keys that cannot be read is a mistake of its own.
    var unknownClients: [String] {
        let named = accessLog.selection?.conditions.compactMap(\.clientName) ?? []
        if named.isEmpty { return [] }
        guard let clientKeysFile else {
            return named.map { "access_log: client \($0): there is no client_keys_file, so no request has a client" }
        }
        guard let file = try? SecretFile.read(clientKeysFile, sizes: SecretFile.listSizes),
            let keys = try? ClientKeys(file)
        else { return [] }
        return named.filter { !keys.names($0) }.map { "access_log: client \($0): \(clientKeysFile) has no such name" }
    }

    /// A memory cache in which hardly an answer has room.
    var tinyMemory: [String] {
        guard 0 < memorySize, memorySize < 1 << 20 else { return [] }
        return [
            "memory_size: \(Figure.bytes(memorySize)) keep hardly an answer in memory: 1MiB or more, or 0 for none"
        ]
    }

    /// An upstream that is a listener of this proxy, where its address is written.
    var ownUpstream: [String] {
        let hosts = upstream.host == "localhost" ? ["127.0.0.1", "::1"] : [upstream.host]
        let origins = hosts.compactMap { SocketAddress(host: $0, port: upstream.port) }
        let own = listeners.map(\.address).first { address in
            origins.contains { address.excludes($0) && (address == $0 || $0.isLoopback) }
        }
        guard let own else { return [] }
        return ["upstream \(upstream.url) is an address of this proxy (\(own)): misses are answered 508"]
    }
}
