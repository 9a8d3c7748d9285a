import Glibc

/// Bytes that the kernel has not taken yet, in order: copies of its own, retained arrays of which a
/// part is left, and last perhaps a file, after which nothing may be queued until it has left.
package struct OutputQueue {
    private struct Segment {
        var bytes: [UInt8]
        var offset: Int
        /// The bytes are this queue's own, so small sends may be appended to them.
        let isOwn: Bool
    }

    /// Own segments grow to this size before the next is begun.
    private static let segmentBytes = 16 * 1024
    /// Segments handed to one sendmsg.
    static let maxVectors = 16

    private var segments: [Segment] = []
    /// Segments before this one are spent.
    private var first = 0
    /// The file at the end, and how many of its bytes have left.
    private(set) var file: (content: SealedFile, offset: Int)?
    /// Bytes in the queue.
    package private(set) var count = 0

    package var isEmpty: Bool { count == 0 }

    package init() {}

    /// Whether there is anything before the file.
    var hasSegments: Bool { first < segments.count }

    mutating func append(copying bytes: UnsafeRawBufferPointer) {
        guard !bytes.isEmpty else { return }
        precondition(file == nil, "nothing goes behind a file")
        count += bytes.count
        if let last = segments.last, last.isOwn, last.bytes.count + bytes.count <= OutputQueue.segmentBytes {
            segments[segments.count - 1].bytes.append(contentsOf: bytes)
        } else {
            segments.append(Segment(bytes: Array(bytes), offset: 0, isOwn: true))
        }
    }

    package mutating func append(retaining bytes: [UInt8], from offset: Int) {
        guard offset < bytes.count else { return }
        precondition(file == nil, "nothing goes behind a file")
        count += bytes.count - offset
        segments.append(Segment(bytes: bytes, offset: offset, isOwn: false))
    }

    mutating func append(_ content: SealedFile, from offset: Int) {
        guard offset < content.count else { return }
        precondition(file == nil, "nothing goes behind a file")
        count += content.count - offset
        file = (content, offset)
    }

    /// Takes bytes off the front: of the segments, or of the file once no segment is left.
    package mutating func consume(_ byteCount: Int) {
        var left = byteCount
        count -= byteCount
        if let (content, offset) = file, !hasSegments {
            file = offset + left == content.count ? nil : (content, offset + left)
            return
        }
        while left > 0 {
            let available = segments[first].bytes.count - segments[first].offset
            if left < available {
                segments[first].offset += left
                return
            }
            left -= available
            segments[first].bytes = []
            first += 1
        }
        compact()
    }

    package mutating func removeAll() {
        segments.removeAll()
        first = 0
        file = nil
        count = 0
    }

    private mutating func compact() {
        if !hasSegments {
            segments.removeAll(keepingCapacity: true)
            first = 0
        } else if first > 32, first > segments.count / 2 {
            segments.removeFirst(first)
            first = 0
        }
    }

    /// Fills `buffer` from the front of the queue without consuming; returns the count.
    package func copyFront(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        var filled = 0
        for segment in segments[first...] where filled < buffer.count {
            segment.bytes.withUnsafeBytes { bytes in
                let part = bytes[segment.offset...].prefix(buffer.count - filled)
                UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]).copyMemory(from: .init(rebasing: part))
                filled += part.count
            }
        }
        return filled
    }

    /// Hands the front of the queue to `body` as I/O vectors.
    func withVectors<R>(_ body: (UnsafeMutableBufferPointer<iovec>) -> R) -> R {
        withUnsafeTemporaryAllocation(of: iovec.self, capacity: OutputQueue.maxVectors) { vectors in
            fill(vectors, from: first, used: 0, body)
        }
    }

    /// Recursive, at most `maxVectors` deep, because an array's bytes are only reachable inside its
    /// own closure.
    private func fill<R>(
        _ vectors: UnsafeMutableBufferPointer<iovec>, from index: Int, used: Int,
        _ body: (UnsafeMutableBufferPointer<iovec>) -> R
    ) -> R {
        guard index < segments.count, used < vectors.count else {
            return body(UnsafeMutableBufferPointer(rebasing: vectors[..<used]))
        }
        return segments[index].bytes.withUnsafeBytes { bytes in
            let part = UnsafeMutableRawBufferPointer(mutating: .init(rebasing: bytes[segments[index].offset...]))
            vectors[used] = iovec(iov_base: part.baseAddress, iov_len: part.count)
            return fill(vectors, from: index + 1, used: used + 1, body)
        }
    }
}
