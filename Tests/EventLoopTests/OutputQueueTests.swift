import Glibc
import TestSupport
import Testing

@testable import EventLoop

@Suite struct OutputQueueTests {
    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func bytesComeOutInOrder(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var queue = OutputQueue()
        var model: [UInt8] = []
        var next: UInt8 = 0
        for _ in 0..<250 {
            if Bool.random(using: &random) {
                let bytes = (0..<Int.random(in: 0...40_000, using: &random) / 16).map { _ in
                    next &+= 1
                    return next
                }
                let offset = Int.random(in: 0...bytes.count, using: &random)
                if Bool.random(using: &random) {
                    bytes[offset...].withUnsafeBytes { queue.append(copying: $0) }
                } else {
                    queue.append(retaining: bytes, from: offset)
                }
                model += bytes[offset...]
            } else {
                var front = [UInt8](repeating: 0, count: Int.random(in: 0...5000, using: &random))
                let copied = front.withUnsafeMutableBytes { queue.copyFront(into: $0) }
                #expect(copied == min(front.count, model.count) && front.prefix(copied) == model.prefix(copied))
                let vectors = queue.withVectors { vectors in
                    vectors.flatMap { UnsafeRawBufferPointer(start: $0.iov_base, count: $0.iov_len) }
                }
                #expect(model.starts(with: vectors) && vectors.isEmpty == model.isEmpty, "seed \(seed)")
                queue.consume(copied)
                model.removeFirst(copied)
            }
            #expect(queue.count == model.count, "seed \(seed)")
        }
    }

    @Test func aRetainedArrayIsNotCopied() {
        var queue = OutputQueue()
        let body = [UInt8](repeating: 7, count: 100_000)
        queue.append(retaining: body, from: 10)
        let original = body.withUnsafeBytes { $0.baseAddress.map { $0 + 10 } }
        #expect(queue.withVectors { $0[0].iov_base.map { UnsafeRawPointer($0) } } == original)
    }
}
