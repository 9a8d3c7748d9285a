import Admin
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
        var bounds: [(source: String, part: String, byteCount: Int)] = [
            ("memory_size", "answers, their index, large bodies", memorySize),
            ("request_memory", "requests being read or waiting", requestMemory),
            ("answer_memory", "answers that slow clients have not read", answerMemory),
            ("upstream_connections", "answers being received from the origin", received),
            ("descriptors", "client connections", connectionMemory),
            ("fixed", "clients that wait for another's request", ProxyMemory.waitingBytes),
            ("fixed", "answers being compressed", ProxyMemory.compressionBytes),
            ("workers", "answers being read from the file and composed", loopCount * ProxyMemory.composingBytes),
            ("fixed", "composed answers being verified", ProxyMemory.verifyingBytes),
        ]
        if cacheFile != nil {
            let store =
                StoreMemory.pendingBytes + StoreMemory.writerBytes + loopCount * StoreMemory.bytesPerLoop
                + StoreMemory.directoryBytes(cacheSize: cacheSize)
            bounds.append(("cache_file", "writing and reading answers", store))
        }
        if accessLog.destination != .off {
            bounds.append(("access_log", "lines to write", ProxyMemory.logBytes))
        }
        if adminListener != nil {
            bounds.append(("admin_listen", "lines for refrain tail", AdminMemory.tailBytes))
        }
        if recording != nil {
            let recorded = ProxyMemory.recordedBytes + ProxyMemory.excerptBytes
            bounds.append(("record", "exchanges to write", recorded))
        }
        if sharedTier != nil {
            let tier = loopCount * TierMemory.bytesPerLoop + TierMemory.logBytes
            bounds.append(("shared_tier", "traffic to and from the engine", tier))
        }
        bounds.append(("fixed", "the program", ProxyMemory.programBytes))
        return bounds.map { MemoryBound(source: $0.source, part: $0.part, byteCount: $0.byteCount) }
    }

    private var connectionMemory: Int {
        let each =
            listeners.contains(where: \.isTLS) ? ProxyMemory.secureConnectionBytes : ProxyMemory.connectionBytes
        return clientRoom(under: DescriptorLimit.most).all * each
    }
}

extension [MemoryBound] {
    var sum: Int { reduce(0) { $0 + $1.byteCount } }

    /// Comments after the settings: the sum, and a part a line.
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
