import Foundation
import TestSupport
import Testing

/// F3: the disk of the cache file is of 4 MB, and gets full while requests come: the cache may be
/// as large as it likes, and another process takes the rest. Passes with 0 crashes, every request
/// answered and right, the log within the disk, and a cache that works again once there is space.
///
/// The disk is a tmpfs in a mount namespace of the program's own, so that no root is needed.
@Suite(.serialized, .timeLimit(.minutes(120)), .requires(.binary), .requires(.ownMounts))
struct FullDiskTests {
    private static let requests = TestSize.of(400, full: 4_000, release: 100_000)
    private static let clients = 4

    /// Mounts a disk of $2 bytes at $1/disk and becomes the program. A child stays, which takes all
    /// space once there is $1/fill, gives it back once there is $1/free, and notes the size of the
    /// log. A disk for which $1/fill is there already is full when the program starts.
    private static let script = #"""
        folder=$1; size=$2; shift 2
        mkdir "$folder/disk" && mount -t tmpfs -o size=$size,mode=0700 tmpfs "$folder/disk" || exit 1
        fill() {
            cat /dev/zero >"$folder/disk/filler" 2>"$folder/words"
            : >"$folder/filled"
        }
        [ ! -e "$folder/fill" ] || fill
        (
            while [ -d "$folder/disk" ] && [ ! -e "$folder/fill" ]; do sleep 0.05; done
            [ -e "$folder/filled" ] || fill
            while [ -d "$folder/disk" ] && [ ! -e "$folder/free" ]; do
                stat -c %s "$folder/disk/cache.sqlite-wal" >>"$folder/sizes" 2>&1
                sleep 0.2
            done
            rm -f "$folder/disk/filler"
            : >"$folder/freed"
        ) >"$folder/child" 2>&1 &
        exec "$@"
        """#

    private static func runner(_ house: FaultHouse, disk size: String) throws -> [String] {
        [try #require(Tool("unshare")).path, "-rm", "/bin/sh", "-c", script, "sh", house.folder.path, size]
    }

    @Test func aFullDiskCostsNoAnswer() async throws {
        try await onThread {
            let house = try FaultHouse()
            let program = try house.start(
                ["cache_size 1GiB"], file: house.folder.file("disk/cache.sqlite"),
                runner: Self.runner(house, disk: "4m"))
            let tally = Tally()
            // These leave room. In a file that has filled the disk by itself, new answers take the
            // place of old ones, and no write fails.
            let first = 130
            try program.ask(0..<first, clients: Self.clients, tally)
            try house.folder.put([], "fill")
            waitUntil(within: 60) { house.folder.has("filled") }
            try #require(house.folder.has("filled"))
            try program.ask(first..<Self.requests, clients: Self.clients, tally)
            let isFull = try Self.says("cannot be written", program, tally, from: 5_000_000)
            try house.folder.put([], "free")
            waitUntil(within: 60) { house.folder.has("freed") }
            let begun = ContinuousClock.now
            let isBack = try Self.says("is available again", program, tally, from: 10_000_000)
            let resumption = ContinuousClock.now - begun
            #expect(program.isRunning && isFull && isBack, "\(program.text.suffix(2_000))")
            #expect(program.stop() == 0, "\(program.text.suffix(2_000))")
            let log = house.folder.text("sizes").split(separator: "\n").compactMap { Int($0) }.max() ?? 0
            FigureTable.note("F3 a full disk", "\(tally.now); log \(log) bytes; cached again after \(resumption)")
            #expect(tally.now.wrong.isEmpty && tally.now.broken.isEmpty, "\(tally.now.wrong.prefix(5))")
            #expect(log <= 4 << 20)
        }
    }

    /// `serve` ended with status 1 for a recording that it can do without.
    @Test func aFullDiskKeptTheProgramFromStartingForItsRecording() async throws {
        try await onThread {
            let house = try FaultHouse()
            try house.folder.put([], "fill")
            let recording = house.folder.file("disk/traffic.jsonl")
            let program = try house.start(["record \(recording)"], runner: Self.runner(house, disk: "64k"))
            let tally = Tally()
            let isFull = try Self.says("record: \(recording): No space left on device", program, tally, from: 0)
            try house.folder.put([], "free")
            let isBack = try Self.says("record: \(recording) can be written again", program, tally, from: 1_000)
            #expect(program.isRunning && isFull && isBack, "\(program.text.suffix(2_000))")
            #expect(program.stop() == 0, "\(program.text.suffix(2_000))")
            #expect(tally.now.wrong.isEmpty && tally.now.broken.isEmpty, "\(tally.now.wrong.prefix(5))")
        }
    }

    /// Asks for albums from `first` on until the program logs `text`; false if it ends before.
    private static func says(_ text: String, _ program: ServedProgram, _ tally: Tally, from first: Int) throws -> Bool {
        let client = CheckingClient(port: try program.port)
        var album = first
        waitUntil(within: 120) {
            tally.note(client.ask(album: album))
            album += 1
            usleep(50_000)
            return program.text.contains(text) || !program.isRunning
        }
        return program.text.contains(text)
    }
}
