import TestSupport
import Testing

@testable import HTTP

@Suite struct ByteBufferTests {
    private func expect(
        _ buffer: borrowing ByteBuffer, _ bytes: [UInt8], _ note: Comment? = nil,
        _ place: SourceLocation = #_sourceLocation
    ) {
        let readable = buffer.copyReadable()
        #expect(readable == bytes, note, sourceLocation: place)
    }

    private func written(_ write: (inout ByteBuffer) -> Void) -> String {
        var buffer = ByteBuffer(capacity: 1)
        write(&buffer)
        return String(decoding: buffer.copyReadable(), as: UTF8.self)
    }

    @Test func bytesComeOutAsTheyWentIn() {
        let text = written { buffer in
            buffer.append(UInt8(ascii: "a"))
            buffer.append("bc")
            buffer.append([UInt8]("de".utf8))
            buffer.append([UInt8]("xfg".utf8)[1...])
            buffer.append(String("h\u{e4}"))
            let span = [UInt8]("i".utf8)
            buffer.append(span.span)
        }
        #expect(text == "abcdefgh\u{e4}i")
    }

    @Test func numbersAreWrittenWithoutLeadingZeros() {
        let numbers = [0, 1, 9, 10, 15, 16, 99, 100, 255, 256, 4096, 10_000, Int.max - 1, Int.max]
        for number in numbers { #expect(written { $0.append(hexadecimal: number) } == String(number, radix: 16)) }
        for number in numbers + [-1, -10, Int.min] { #expect(written { $0.append(decimal: number) } == "\(number)") }
    }

    @Test func roomIsMadeByMovingBeforeGrowing() {
        var buffer = ByteBuffer(capacity: 8)
        buffer.append([1, 2, 3, 4, 5, 6])
        buffer.consume(4)
        buffer.append([7, 8, 9, 10])
        let capacity = buffer.capacity
        #expect(capacity == 8)
        expect(buffer, [5, 6, 7, 8, 9, 10])
        buffer.append([11, 12, 13])
        let grown = buffer.capacity
        #expect(grown > 8)
        expect(buffer, [5, 6, 7, 8, 9, 10, 11, 12, 13])
    }

    @Test func writingInPlaceMakesWrittenBytesReadable() {
        var buffer = ByteBuffer(capacity: 4)
        buffer.append([1])
        let room = buffer.withUnsafeWritable(minimum: 100) { memory in
            memory[0] = 2
            memory[1] = 3
            return (written: 1, result: memory.count)
        }
        #expect(room >= 100)
        expect(buffer, [1, 2])
        let (bytes, count) = (buffer.withUnsafeReadable { Array($0) }, buffer.withReadable { $0.count })
        #expect(bytes == [1, 2] && count == 2)
    }

    @Test func wipingCostsUsedBytesAndNotTheCapacity() {
        var buffer = ByteBuffer(capacity: 64)
        buffer.append([UInt8](repeating: 0xAA, count: 8))
        buffer.consume(8)
        // Written where nothing was ever readable, without saying so: only a wipe of everything
        // would find it.
        buffer.withUnsafeWritable(minimum: 64) { memory in
            memory[63] = 1
            return (written: 0, result: ())
        }
        buffer.wipe()
        let left = buffer.withUnsafeWritable(minimum: 0) { (written: 0, result: Array($0)) }
        #expect(left == [UInt8](repeating: 0, count: 63) + [1])
    }

    @Test func removingKeepsOrDropsTheStorage() {
        var buffer = ByteBuffer(capacity: 16)
        buffer.append([1, 2, 3])
        buffer.removeAll(keepingCapacity: true)
        let (isEmpty, kept) = (buffer.isEmpty, buffer.capacity)
        #expect(isEmpty && kept == 16)
        buffer.removeAll(keepingCapacity: false)
        let dropped = buffer.capacity
        #expect(dropped == 0)
        buffer.append([4])
        expect(buffer, [4])
    }

    /// No byte survives a wipe, whatever came before.
    @Test(arguments: TestSize.of(0..<100, full: 0..<200))
    func anySequenceOfCallsEqualsAnArray(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        var buffer = ByteBuffer(capacity: Int.random(in: 0...100, using: &generator))
        var model: [UInt8] = []
        for _ in 0..<Int.random(in: 0...200, using: &generator) {
            switch Int.random(in: 0..<20, using: &generator) {
            case 0:
                buffer.removeAll(keepingCapacity: Bool.random(using: &generator))
                model = []
            case 1:
                buffer.wipe()
                model = []
            case 2..<10:
                let count = Int.random(in: 0...model.count, using: &generator)
                buffer.consume(count)
                model.removeFirst(count)
            default:
                let bytes = (0..<Int.random(in: 0...30, using: &generator)).map { _ in
                    UInt8.random(in: 1...255, using: &generator)
                }
                buffer.append(bytes)
                model += bytes
            }
            expect(buffer, model, "seed \(seed)")
            let count = buffer.readableCount
            #expect(count == model.count)
        }
        buffer.wipe()
        let left = buffer.withUnsafeWritable(minimum: 0) { (written: 0, result: Array($0)) }
        let capacity = buffer.capacity
        #expect(left == [UInt8](repeating: 0, count: capacity), "seed \(seed)")
    }

    @Test func aStatusIsWrittenWithItsReason() {
        #expect(written { $0.appendStatusLine(404) } == "HTTP/1.1 404 Not Found\r\n")
        for status in 100...599 { #expect(reasonPhrase(status).utf8CodeUnitCount > 0) }
        #expect(String(describing: reasonPhrase(431)) == "Request Header Fields Too Large")
        #expect(String(describing: reasonPhrase(799)) == "Unknown")
    }
}
