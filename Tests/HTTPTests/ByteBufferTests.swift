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

    private func expect(
        _ buffer: borrowing ByteBuffer, _ text: String, _ place: SourceLocation = #_sourceLocation
    ) {
        expect(buffer, Array(text.utf8), nil, place)
    }

    @Test func bytesComeOutAsTheyWentIn() {
        var buffer = ByteBuffer(capacity: 2)
        buffer.append(UInt8(ascii: "a"))
        buffer.append("bc")
        buffer.append([UInt8]("de".utf8))
        buffer.append([UInt8]("xfg".utf8)[1...])
        buffer.append(String("h\u{e4}"))
        let span = [UInt8]("i".utf8)
        buffer.append(span.span)
        expect(buffer, "abcdefgh\u{e4}i")
    }

    @Test func numbersAreWrittenWithoutLeadingZeros() {
        for number in [0, 1, 9, 10, 15, 16, 99, 100, 255, 256, 4096, 10_000, Int.max - 1, Int.max] {
            var decimal = ByteBuffer(capacity: 1)
            decimal.append(decimal: number)
            expect(decimal, String(number))
            var hexadecimal = ByteBuffer(capacity: 1)
            hexadecimal.append(hexadecimal: number)
            expect(hexadecimal, String(number, radix: 16))
        }
        for number in [-1, -10, Int.min] {
            var negative = ByteBuffer(capacity: 1)
            negative.append(decimal: number)
            expect(negative, String(number))
        }
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

    @Test func writingInPlaceMakesOnlyWhatWasWrittenReadable() {
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

    @Test func wipingLeavesNothingBehind() {
        var buffer = ByteBuffer(capacity: 16)
        buffer.append([UInt8](repeating: 0xAA, count: 12))
        buffer.consume(3)
        buffer.wipe()
        let isEmpty = buffer.isEmpty
        #expect(isEmpty)
        let left = buffer.withUnsafeWritable(minimum: 0) { (written: 0, result: Array($0)) }
        #expect(left == [UInt8](repeating: 0, count: 16))
    }

    @Test func wipingCostsWhatWasUsedAndNotTheCapacity() {
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

    @Test(arguments: TestSize.of(0..<100, full: 0..<200))
    func noByteSurvivesAWipeWhateverCameBefore(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        var buffer = ByteBuffer(capacity: Int.random(in: 0...100, using: &generator))
        for _ in 0..<Int.random(in: 0...30, using: &generator) {
            switch Int.random(in: 0..<8, using: &generator) {
            case 0: buffer.removeAll(keepingCapacity: Bool.random(using: &generator))
            case 1: buffer.wipe()
            case 2...4:
                let count = buffer.readableCount
                buffer.consume(Int.random(in: 0...count, using: &generator))
            case 5: buffer.append(UInt8(0xAA))
            default:
                let count = Int.random(in: 0...40, using: &generator)
                buffer.append([UInt8](repeating: 0xAA, count: count))
            }
        }
        buffer.wipe()
        let left = buffer.withUnsafeWritable(minimum: 0) { (written: 0, result: Array($0)) }
        let capacity = buffer.capacity
        #expect(left == [UInt8](repeating: 0, count: capacity), "seed \(seed)")
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

    @Test(arguments: 0..<100)
    func anySequenceOfCallsEqualsAnArray(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        var buffer = ByteBuffer(capacity: Int.random(in: 0...20, using: &generator))
        var model: [UInt8] = []
        for _ in 0..<200 {
            if Bool.random(using: &generator) {
                let bytes = (0..<Int.random(in: 0...30, using: &generator)).map { _ in
                    UInt8.random(in: 0...255, using: &generator)
                }
                buffer.append(bytes)
                model += bytes
            } else {
                let count = Int.random(in: 0...model.count, using: &generator)
                buffer.consume(count)
                model.removeFirst(count)
            }
            expect(buffer, model, "seed \(seed)")
            let count = buffer.readableCount
            #expect(count == model.count)
        }
    }

    @Test func aStatusLineIsWrittenAsItIsOnTheWire() {
        var buffer = ByteBuffer(capacity: 1)
        buffer.appendStatusLine(404)
        expect(buffer, "HTTP/1.1 404 Not Found\r\n")
    }

    @Test func everyUsualStatusHasAReason() {
        for status in 100...599 { #expect(reasonPhrase(status).utf8CodeUnitCount > 0) }
        #expect(String(describing: reasonPhrase(431)) == "Request Header Fields Too Large")
        #expect(String(describing: reasonPhrase(799)) == "Unknown")
    }
}
