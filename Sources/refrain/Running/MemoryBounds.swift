import Cache
import Glibc
import Proxy
import Server
import Store
import Text
import Tier
import Upstream

/// The most that one part of the proxy may take in memory.
struct MemoryBound: Equatable {
    /// The setting that says it, or where it comes from otherwise.
    let source: String
    let part: String
    let byteCount: Int
}

extension Configuration {
    /// The bounds of all parts; their sum is the most that the process takes (TRUST 1).
    var memoryBounds: [MemoryBound] {
        let received = upstreamConnections * UpstreamSettings.standardCollectedBytes
        var bounds = [
            MemoryBound(source: "memory_size", part: "answers, their index, large bodies", byteCount: memorySize),
            MemoryBound(
                source: "request_memory", part: "requests being read or waiting", byteCount: requestMemory),
            MemoryBound(
                source: "answer_memory", part: "answers that slow clients have not read", byteCount: answerMemory),
            MemoryBound(
                source: "upstream_connections", part: "answers being received from the origin", byteCount: received),
            MemoryBound(source: "descriptors", part: "client connections", byteCount: connectionMemory),
            MemoryBound(
                source: "fixed", part: "clients that wait for another's request", byteCount: ProxyMemory.waitingBytes),
            MemoryBound(source: "fixed", part: "answers being compressed", byteCount: ProxyMemory.compressionBytes),
            MemoryBound(
                source: "fixed", part: "composed answers being verified", byteCount: ProxyMemory.verifyingBytes),
        ]
        if cacheFile != nil {
            let store =
                StoreMemory.pendingBytes + StoreMemory.writerBytes + loopCount * StoreMemory.bytesPerLoop
                + StoreMemory.directoryBytes(cacheSize: cacheSize)
            bounds.append(MemoryBound(source: "cache_file", part: "writing and reading answers", byteCount: store))
        }
        if accessLog.destination != .off {
            bounds.append(MemoryBound(source: "access_log", part: "lines to write", byteCount: ProxyMemory.logBytes))
        }
        if recording != nil {
            let recorded = ProxyMemory.recordedBytes + ProxyMemory.excerptBytes
            bounds.append(MemoryBound(source: "record", part: "exchanges to write", byteCount: recorded))
        }
        if sharedTier != nil {
            let tier = loopCount * TierMemory.bytesPerLoop + TierMemory.logBytes
            bounds.append(MemoryBound(source: "shared_tier", part: "traffic to and from the engine", byteCount: tier))
        }
        return bounds + [MemoryBound(source: "fixed", part: "the program", byteCount: ProxyMemory.programBytes)]
    }

    private var connectionMemory: Int {
        let each =
            listeners.contains(where: \.isTLS) ? ProxyMemory.secureConnectionBytes : ProxyMemory.connectionBytes
        let clients = min(
            DescriptorLimit.clients(besides: upstreamConnections, whenRaised: true),
            loopCount * Server.mostConnections)
        return clients * each
    }
}

extension [MemoryBound] {
    var sum: Int { reduce(0) { $0 + $1.byteCount } }

    /// Comments behind the settings: the sum, and a part a line.
    func text() -> String {
        let lines = map { bound in
            let size = Figure.bytes(bound.byteCount)
            let indent = String(repeating: " ", count: Swift.max(0, 12 - size.count))
            return "#\(indent)\(size)  \(bound.source): \(bound.part)\n"
        }
        return "# memory: \(Figure.bytes(sum)) at most\n" + lines.joined()
    }

    func json() -> JSON {
        let parts = map { bound -> JSON in
            ["source": .string(bound.source), "part": .string(bound.part), "bytes": .number("\(bound.byteCount)")]
        }
        return ["most": .number("\(sum)"), "parts": .array(parts)]
    }
}
