import Foundation
import Testing

/// Records an issue for each offence, with the rule that it breaks.
func expectNone(_ offences: [String], _ rule: Comment) {
    for offence in offences { Issue.record(Comment(rawValue: offence + ": " + rule.rawValue)) }
}

/// The rules of the house, held up by reading every source file. Each failure names the place and
/// what to do instead.
@Suite struct HouseTests {
    static let systemModules: Set = ["Glibc", "Dispatch", "Synchronization"]
    /// Programs that are never installed; they may use Foundation.
    static let tools: Set = ["Bench"]
    static let maxUncheckedSendable = 8
    static let maxFunctionLines = 70
    static let maxFileLines = 400
    /// The share of documentation comments that may begin with a word that points elsewhere.
    static let maxShareElsewhere = 0.015

    private func places(in files: [SourceFile], where isOffence: (SourceFile, Int) -> Bool) -> [String] {
        files.flatMap { file in file.code.indices.filter { isOffence(file, $0) }.map(file.place) }
    }

    @Test func everySourceFileIsSeen() {
        #expect(House.sources.contains { $0.path == "Sources/refrain/main.swift" })
        #expect(House.sources.count > 20 && House.tests.count > 10)
    }

    @Test func nothingElseOfTheSystemIsImported() {
        let offences = House.sources.filter { !Self.tools.contains($0.module) }.flatMap { file in
            file.imports.filter { ModuleTests.ranks[$0.module] == nil && !Self.systemModules.contains($0.module) }
                .map { file.place($0.line) }
        }
        expectNone(offences, "use Glibc, Dispatch or Synchronization; Foundation costs 3 ms and 11 MiB at start")
    }

    @Test(arguments: [
        ("print(", "write to an Output, or to the log"),
        ("try!", "catch the error, or make the call unable to throw"),
        ("as!", "use as? and decide what a failure means"),
        ("fatalError(", "throw; where only a programming error leads there, preconditionFailure with a reason"),
        ("nonisolated(unsafe)", "a Mutex, an Atomic, or confinement to a loop"),
    ])
    func bannedCallsAreAbsent(call: String, instead: String) {
        let offences = places(in: House.sources) { file, index in
            guard !Self.tools.contains(file.module) else { return false }
            return contains(file.code[index], call)
        }
        expectNone(offences, "\(call) is banned; \(instead)")
    }

    /// Whether `line` holds `call`, not as the end of a longer word.
    private func contains(_ line: String, _ call: String) -> Bool {
        var rest = line[...]
        while let range = rest.firstRange(of: call) {
            let before = rest[..<range.lowerBound].last ?? " "
            if !before.isLetter, !before.isNumber, before != "_" { return true }
            rest = rest[range.upperBound...]
        }
        return false
    }

    /// The service runs with `ProcSubset=pid`, which hides everything in /proc but the processes.
    @Test func ofProcOnlyProcessesAreRead() {
        let offences = places(in: House.sources) { file, index in
            guard !Self.tools.contains(file.module) else { return false }
            let paths = file.lines[index].split(separator: "/proc/", omittingEmptySubsequences: false).dropFirst()
            return paths.contains { !$0.hasPrefix("self/") && !$0.hasPrefix("\\(") && !$0.hasPrefix("PID") }
        }
        expectNone(offences, "read /proc/self/ or /proc/PID/; the rest of /proc is not there for a service")
    }

    @Test func nothingIsLeftForLater() {
        let words = ["TO" + "DO", "FIX" + "ME", "XX" + "X"]
        let offences = places(in: House.sources + House.tests) { file, index in
            words.contains { contains(file.lines[index], $0) }
        }
        expectNone(offences, "do it now, or write down in ARCHITECTURE.md why not")
    }

    @Test func everyCommentDescribesSomething() {
        let offences = (House.sources + House.tests).flatMap { file in file.strayComments.map(file.place) }
        expectNone(offences, "put the comment above the declaration that it describes, or take it out")
    }

    @Test func commentsBeginWithTheirSubject() {
        let offences = places(in: House.sources + House.tests) { file, index in
            guard let words = Self.commentWords(file, index), let first = words.first,
                ["What", "Who", "Whose", "Whoever", "Of"].contains(first)
            else { return false }
            return index == 0 || Self.commentWords(file, index - 1)?.isEmpty ?? true
        }
        expectNone(offences, "name the thing first: \"The fields that ...\", not \"What ...\"")
    }

    /// In a pop-up nothing tells what "The same" or "Its" refers to.
    @Test func documentationNamesItsSubjectFirst() {
        let firstLines = House.sources.flatMap { file in
            file.lines.indices.filter { Self.beginsDocumentation(file, $0) }.map { (file: file, index: $0) }
        }
        let elsewhere = firstLines.filter { Self.pointsElsewhere(Self.commentWords($0.file, $0.index) ?? []) }
        let isTooMany = elsewhere.count > Int(Double(firstLines.count) * Self.maxShareElsewhere)
        expectNone(
            isTooMany ? elsewhere.map { $0.file.place($0.index) } : [],
            "name the subject; \(elsewhere.count) of \(firstLines.count) comments begin like \"The same\" or \"One\"")
    }

    private static func beginsDocumentation(_ file: SourceFile, _ index: Int) -> Bool {
        let isDocumentation = { (line: String) in line.drop { $0 == " " }.hasPrefix("///") }
        return isDocumentation(file.comments[index]) && (index == 0 || !isDocumentation(file.comments[index - 1]))
    }

    /// Whether words begin with one that refers to something said before, as "The same" does.
    private static func pointsElsewhere(_ words: [Substring]) -> Bool {
        let words = words.prefix(2).map { $0.trimmingCharacters(in: .punctuationCharacters) }
        guard let first = words.first else { return false }
        return words == ["The", "same"]
            || ["One", "As", "Those", "All", "Its", "Where", "Each", "More"].contains(first)
    }

    /// The words of a line that is a comment; nil for another line.
    private static func commentWords(_ file: SourceFile, _ index: Int) -> [Substring]? {
        guard strstr(file.comments[index], "//") != nil else { return nil }
        let line = file.lines[index].utf8.drop { $0 == UInt8(ascii: " ") }
        guard line.starts(with: "//".utf8) else { return nil }
        return Substring(line.drop { $0 == UInt8(ascii: "/") }).split(separator: " ")
    }

    @Test func uncheckedSendableIsRareAndSaysWhyItIsSafe() {
        let offences = places(in: House.sources) { file, index in
            file.code[index].contains("@unchecked Sendable")
                && !file.lines[max(0, index - 2)...index].contains { $0.contains("because") }
        }
        expectNone(offences, "say \"because ...\" (what confines or protects it) within the two lines above")
        let all = places(in: House.sources) { file, index in file.code[index].contains("@unchecked Sendable") }
        #expect(all.count <= Self.maxUncheckedSendable, "use a Mutex or a value instead; they are: \(all)")
    }

    @Test func functionsAreShort() {
        let offences = House.sources.flatMap { file in
            FunctionScanner.functions(in: file.code).filter { $0.lineCount > Self.maxFunctionLines }.map {
                "\(file.place($0.line)): \($0.name) has \($0.lineCount) lines"
            }
        }
        expectNone(offences, "split it; \(Self.maxFunctionLines) lines at most")
    }

    @Test func filesAreShort() {
        let offences = House.sources.filter { $0.lines.count > Self.maxFileLines }.map {
            "\($0.path): \($0.lines.count) lines"
        }
        expectNone(offences, "split it by capability; \(Self.maxFileLines) lines at most")
        // Pages are read by people too, and so written as text in the tree, not made by a program.
        let pages = House.files.filter { path in
            path.hasPrefix("Sources/") && [".html", ".css", ".js"].contains { path.hasSuffix($0) }
        }
        #expect(pages.contains("Sources/Admin/Dashboard/script.js"))
        let long = pages.filter { House.text($0).split(separator: "\n").count > Self.maxFileLines }
        expectNone(long, "split it; \(Self.maxFileLines) lines at most")
    }
}
