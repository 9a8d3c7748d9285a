// Fuzzing of all parsers of foreign bytes (libFuzzer). It is no part of plain builds:
//
//     make fuzz TARGET=documents SECONDS=300
//
// libFuzzer keeps interesting inputs in `.build/fuzz/found/TARGET`, where the next run goes on. It
// writes failing inputs to `.build/fuzz/failed`; each becomes a test of its own.

import Glibc

@main struct Fuzz {
    /// `Fuzz seeds TARGET FOLDER` writes first inputs; `Fuzz run TARGET [libFuzzer's arguments]`
    /// runs one; `Fuzz` alone names them all.
    static func main() {
        let words = CommandLine.arguments
        guard words.count > 2, let target = FuzzTarget.named(words[2]) else {
            if words.count > 2 { puts("there is no target \(words[2]); the targets are") }
            for target in FuzzTarget.table { puts("\(target.name)  \(target.summary)") }
            exit(words.count > 2 ? 2 : 0)
        }
        guard words[1] == "run" else { return writeSeeds(target, into: words[3]) }
        // libFuzzer sees its own arguments alone.
        let arguments = CommandLine.unsafeArgv
        arguments[2] = arguments[0]
        var (count, rest) = (CommandLine.argc - 2, arguments + 2)
        exit(runFuzzer(&count, &rest, testOneInput))
    }

    private static func writeSeeds(_ target: FuzzTarget, into folder: String) {
        for (number, bytes) in target.seeds().enumerated() {
            guard let file = fopen("\(folder)/seed-\(number)", "w") else { continue }
            fwrite(bytes, 1, bytes.count, file)
            fclose(file)
        }
    }
}

/// The one that the command line names; there is one when this is asked for.
private let chosen = FuzzTarget.named(CommandLine.arguments[2])

private func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    chosen?.run(Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}

/// Entry of libFuzzer for a program that has a `main` of its own, which the package manager insists
/// on. A function of C: with nothing but pointers for arguments, both languages call alike.
@_silgen_name("LLVMFuzzerRunDriver")
func runFuzzer(
    _ count: UnsafeMutablePointer<Int32>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32
