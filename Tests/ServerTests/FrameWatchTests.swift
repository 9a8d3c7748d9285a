import EventLoop
import TestSupport
import Testing

@testable import Server

/// The number of frames of each kind that a client may send, at the bound and one above.
@Suite struct FrameWatchTests {
    private let start = Instant(nanoseconds: 1_000_000_000_000)

    private func watch() throws -> FrameWatch {
        var watch = FrameWatch()
        try watch.read(HTTP2Frame.preface, at: start)
        return watch
    }

    /// How many of these frames pass at once.
    private func count(_ frame: HTTP2Frame, _ watch: inout FrameWatch, at now: Instant, most: Int = 10_000) -> Int {
        for index in 0..<most {
            let before = watch
            do throws(FrameWatch.Offence) {
                try watch.read(frame.bytes, at: now)
            } catch {
                // The next call begins with a whole frame again.
                watch = before
                return index
            }
        }
        return most
    }

    private static let kinds: [(FrameWatch.Offence, HTTP2Frame)] = [
        (.resets, .reset(1)), (.settings, HTTP2Frame(.settings)),
        (.pings, HTTP2Frame(.ping, payload: [UInt8](repeating: 0, count: 8))),
        (.priorities, HTTP2Frame(.priority, stream: 1, payload: [0, 0, 0, 0, 1])),
        (.priorities, HTTP2Frame(type: 16, payload: [0, 0, 0, 1])),
        (.windowUpdates, .windowUpdate(0, by: 1)), (.emptyContent, HTTP2Frame(.data, stream: 1)),
        (.emptyContent, HTTP2Frame(.data, flags: 8, stream: 1, payload: [255] + [UInt8](repeating: 0, count: 255))),
        (.otherFrames, HTTP2Frame(type: 77)), (.otherFrames, HTTP2Frame(.pushPromise)),
    ]

    @Test(arguments: kinds)
    func eachKindOfFrameHasItsBurstAndItsRate(kind: FrameWatch.Offence, frame: HTTP2Frame) throws {
        let bound = try #require(FrameBounds.bound(kind))
        var watch = try watch()
        #expect(count(frame, &watch, at: start) == bound.burst)
        #expect(count(frame, &watch, at: start + .seconds(1)) == bound.perSecond)
    }

    /// These the session notes, since no frame of the client's says so.
    @Test func streamsThatAreEndedForTheClientAreBounded() throws {
        var watch = try watch()
        let (resets, streams) = (FrameBounds.bound(.provokedResets), FrameBounds.bound(.refusedStreams))
        for _ in 0..<(try #require(resets).burst) { try watch.noteProvokedReset(at: start) }
        #expect(throws: FrameWatch.Offence.provokedResets) { try watch.noteProvokedReset(at: start) }
        for _ in 0..<(try #require(streams).burst) { try watch.noteRefusedStream(at: start) }
        #expect(throws: FrameWatch.Offence.refusedStreams) { try watch.noteRefusedStream(at: start) }
    }

    @Test func eachKindIsCountedForItself() throws {
        var watch = try watch()
        for (kind, frame) in Self.kinds where kind != .windowUpdates {
            try watch.read(frame.bytes, at: start)
        }
        #expect(count(.windowUpdate(0, by: 1), &watch, at: start) == FrameBounds.bound(.windowUpdates)?.burst)
    }

    @Test func sentContentAllowsWindowUpdates() throws {
        var watch = try watch()
        let burst = try #require(FrameBounds.bound(.windowUpdates)?.burst)
        for _ in 0..<50 {
            #expect(count(.windowUpdate(0, by: 16_384), &watch, at: start, most: burst / 2) == burst / 2)
            watch.noteSent(burst / 2 * FrameBounds.bytesPerWindowUpdate, at: start)
        }
    }

    @Test func contentAndRequestsAreNotCounted() throws {
        var watch = try watch()
        let content = HTTP2Frame(.data, stream: 1, payload: [UInt8](repeating: 0, count: 300))
        #expect(count(content, &watch, at: start) == 10_000)
        #expect(count(HTTP2Frame(.data, flags: 1, stream: 1), &watch, at: start) == 10_000)
        #expect(count(.head(HTTP2Frame.get("/"), stream: 1), &watch, at: start) == 10_000)
    }

    @Test func piecesOfAHeadAreBounded() throws {
        for (pieces, passes) in [(FrameWatch.mostContinuations, true), (FrameWatch.mostContinuations + 1, false)] {
            var watch = try watch()
            try watch.read(HTTP2Frame(.headers, stream: 1).bytes, at: start)
            #expect(watch.isWaitingForMore)
            let count = count(HTTP2Frame(.continuation, stream: 1), &watch, at: start, most: pieces)
            #expect((count == pieces) == passes)
        }
    }

    @Test func bytesOfAHeadAreBounded() throws {
        let piece = [UInt8](repeating: 0, count: FrameWatch.mostBlockBytes / 4)
        var watch = try watch()
        try watch.read(HTTP2Frame(.headers, stream: 1, payload: piece).bytes, at: start)
        #expect(count(HTTP2Frame(.continuation, stream: 1, payload: piece), &watch, at: start, most: 4) == 3)
        // The next head begins at nothing again.
        watch = try self.watch()
        #expect(count(HTTP2Frame(.headers, flags: 4, stream: 1, payload: piece), &watch, at: start, most: 9) == 9)
        #expect(!watch.isWaitingForMore)
    }

    /// However the bytes are cut, the verdict is the same.
    @Test func framesMayComeInAnyPieces() throws {
        let seed = UInt64.random(in: 0 ... .max)
        var generator = SeededGenerator(seed: seed)
        let frames = (0..<200).flatMap { _ in Self.kinds.randomElement(using: &generator)!.1.bytes }
        func verdict(_ cut: (Int) -> Int) -> (FrameWatch.Offence?, Bool) {
            var watch = FrameWatch()
            let bytes = HTTP2Frame.preface + frames
            var index = 0
            do throws(FrameWatch.Offence) {
                while index < bytes.count {
                    let end = min(bytes.count, index + cut(bytes.count))
                    try watch.read(Array(bytes[index..<end]), at: start)
                    index = end
                }
            } catch {
                return (error, false)
            }
            return (nil, watch.isWaitingForMore)
        }
        let whole = verdict { $0 }
        for _ in 0..<20 {
            let cut = verdict { _ in Int.random(in: 1...40, using: &generator) }
            #expect(cut == whole, "seed \(seed)")
        }
    }

    /// A client that always has sent half of the next frame is never late, one that sends the
    /// pieces of one head is.
    @Test func aHeadWithAllItsFramesIsOneUnit() throws {
        var watch = try watch()
        let frame = HTTP2Frame(.ping, payload: [1, 2, 3, 4, 5, 6, 7, 8]).bytes
        try watch.read(Array(frame.dropLast()), at: start)
        let first = watch.unit
        try watch.read([8] + frame.prefix(4), at: start)
        #expect(watch.isWaitingForMore && watch.unit == first + 1)
        try watch.read(Array(frame.dropFirst(4)), at: start)
        try watch.read(HTTP2Frame(.headers, stream: 1).bytes, at: start)
        let head = watch.unit
        for _ in 0..<3 { try watch.read(HTTP2Frame(.continuation, stream: 1).bytes, at: start) }
        #expect(watch.isWaitingForMore && watch.unit == head)
    }

    @Test func aClientInsideAFrameIsWaitedFor() throws {
        var watch = FrameWatch()
        #expect(watch.isWaitingForMore)
        // Content has a time limit of its own.
        let content = HTTP2Frame(.data, stream: 1, payload: [1, 2, 3]).bytes
        for (bytes, isWaitedFor) in [
            (HTTP2Frame.preface, false), ([0, 0], true), ([8, 6, 0, 0, 0, 0, 0, 1, 2], true),
            ([3, 4, 5, 6, 7, 8], false), (content.dropLast(), false),
        ] {
            try watch.read(bytes, at: start)
            #expect(watch.isWaitingForMore == isWaitedFor, "\(bytes)")
        }
    }
}

extension FrameWatch {
    fileprivate mutating func read(_ bytes: [UInt8], at now: Instant) throws(Offence) {
        try read(bytes.span, at: now)
    }
}
