import Testing

/// Rules for the tests themselves: a test that cannot fail, or that hangs, proves nothing.
@Suite(.timeLimit(.minutes(10))) struct TestRulesTests {
    /// A function of the tests.
    private struct Function {
        let name: String
        let place: String
        let isTest: Bool
        /// Whether it expects something by itself.
        let judges: Bool
        let words: Set<String>

        init(_ function: FunctionScanner.Function, in file: SourceFile) {
            let text = file.code[function.line..<function.line + function.lineCount].joined(separator: "\n")
            (name, place) = (function.name, file.place(function.line))
            isTest = TestRulesTests.isTest(file, function.line)
            judges = ["#expect", "#require", "Issue.record"].contains { text.contains($0) }
            words = Set(text.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init))
        }
    }

    /// Whether the function whose name is in that line is a test: the attribute is in its line or
    /// above it, after whatever ends the declaration before.
    private static func isTest(_ file: SourceFile, _ line: Int) -> Bool {
        for index in stride(from: line, through: max(0, line - 60), by: -1) {
            let text = file.code[index].drop { $0 == " " }
            // For a nested function the search meets the test's opening line first.
            if text.hasPrefix("@Test") { return index == line || !text.hasSuffix("{") }
            if index < line, text.isEmpty || text == "}" || text.hasSuffix("{") { return false }
        }
        return false
    }

    /// Two styles of names make two kinds of search.
    @Test func namesOfTestsAreWordsOfCode() {
        for file in House.tests {
            for (index, line) in file.code.enumerated() where line.contains("func `") {
                Issue.record("\(file.place(index)): write the name in camel case")
            }
        }
    }

    @Test func everyTestExpectsSomething() {
        var count = 0
        for files in Dictionary(grouping: House.tests, by: \.module).values {
            let all = files.flatMap { file in FunctionScanner.functions(in: file.code).map { Function($0, in: file) } }
            let tests = all.filter(\.isTest)
            let judging = all.filter { $0.judges && !$0.isTest }.map(\.name) + ["waitUntil", "waitOrFail"]
            let helpers = Set(judging).subtracting(["init", "deinit", "subscript"])
            for test in tests where !test.judges && test.words.isDisjoint(with: helpers) {
                Issue.record("\(test.place): \(test.name) can pass by doing nothing")
            }
            count += tests.count
        }
        #expect(count > 2_000)
    }

    /// Support for tests that holds a thread until a test lets it go, or runs as long as its test.
    private static let mayWait: Set = ["TestThreads", "ScriptedOrigin", "concurrently", "ChildProcess", "FakeEngine"]

    @Test func everyWaitHasAnEnd() {
        for file in House.tests where !Self.mayWait.contains(file.name) {
            for (index, line) in file.code.enumerated() {
                let loops = line.contains("while ") && line.contains("sleep(") && !line.contains("deadline")
                guard loops || line.contains(".wait()") else { continue }
                Issue.record("\(file.place(index)): use waitUntil or waitOrFail, which fail at a deadline")
            }
        }
    }

    /// The functions that wait for other threads and processes, and look at the time limit.
    private static let waits = [
        "waitUntil", "waitOrFail", "waitAtMost", "eventually", "onThread", "concurrently(", "processExitsWith",
    ]

    /// Without one, a test that waits again and again holds the run up until the watchdog ends it.
    @Test func aSuiteThatWaitsHasATimeLimit() {
        for file in House.tests where file.name.hasSuffix("Tests") {
            guard file.code.contains(where: { line in Self.waits.contains { line.contains($0) } }) else { continue }
            for (index, line) in file.code.enumerated() where line.contains("@Suite") {
                let end = file.code[index...].firstIndex { $0.contains("{") } ?? index
                guard !file.code[index...end].joined().contains(".timeLimit(") else { continue }
                Issue.record("\(file.place(index)): it waits, and has no time limit")
            }
        }
    }

    /// Files that sleep, because they play something slow or keep a pace. A test that sleeps to see
    /// that nothing comes passes on a busy machine even if something comes; it waits for a later
    /// event instead.
    private static let sleepers: Set = [
        "CanaryTour", "ClientConnectionTests", "ConformanceOrigin", "DescriptorTests", "EngineRelay", "EventLoopTests",
        "FaultOrigin", "FullDiskTests", "HalfOpenTests", "HeadlessBrowser", "IdleNodesTests", "KillTests",
        "ListenerTests", "LoadBalancer", "NodeClients", "PlainHTTPOnTLSTests", "ProxyProtocolTests", "PurgeChaos",
        "RepeatedRequestTests", "ReplacementTests", "ScriptedOrigin", "SlowClientTests",
        "SlowLinkTests", "SoakRun", "StreamTests", "SuspensionTests", "TimerHoldTests", "UnreadableSectorTests",
        "UpgradeLoad", "UpstreamStreamingTests", "VersionedOrigin", "Watchdog", "waitUntil",
    ]

    @Test func onlyWhatKeepsAPaceSleeps() {
        let sleeping = House.tests.filter { file in
            file.code.contains { line in
                [" sleep(", "usleep(", "nanosleep(", "Task.sleep(", "Thread.sleep("].contains { line.contains($0) }
            }
        }
        let unlike = Self.sleepers.symmetricDifference(sleeping.map(\.name))
        #expect(unlike.isEmpty, "wait for an event instead; take from the list what no longer sleeps")
    }
}
