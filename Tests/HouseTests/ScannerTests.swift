import Testing

/// The rules are only as good as what reads the files for them.
@Suite struct ScannerTests {
    private func blanked(_ text: String) -> String {
        String(decoding: CodeBlanker.parted(Array(text.utf8)).code, as: UTF8.self)
    }

    @Test func commentsAreBlankedOrReadAlone() {
        #expect(blanked("a // b\nc") == "a     \nc")
        #expect(blanked("a /* b /* c\n */ d */ e") == "a          \n         e")
        let parts = CodeBlanker.parted(Array("a // b\nf(\"// c\") /* d */".utf8))
        #expect(String(decoding: parts.comments, as: UTF8.self) == "  // b\n          /* d */")
    }

    @Test func literalsAreBlankedBetweenTheirQuotes() {
        #expect(blanked(#"f("a{\"b", c)"#) == #"f("     ", c)"#)
        #expect(blanked(##"f(#"a"b"#, c)"##) == ##"f(#"   "#, c)"##)
        #expect(blanked("f(\"\", g)") == "f(\"\", g)")
        #expect(blanked("\"\"\"\n a \"b\" {\n \"\"\" + c") == "\"\"\"\n        \n \"\"\" + c")
        #expect(blanked(#""a\(f("b", (c)))d" + e"#) == #""   f(" ", (c))  " + e"#)
    }

    @Test func functionsAreMeasured() {
        let code = """
            struct A {
                func one() { 1 }
                init(_ body: () -> Void = {}) {
                    body()
                }
                func two(
                    a: Int
                ) -> Int {
                    if a > 1 {
                        return 2
                    }
                    return a
                }
            }
            protocol P {
                func none()
                func noneEither() -> Int
            }
            """
        let found = FunctionScanner.functions(in: code.split(separator: "\n").map(String.init))
        #expect(found.map(\.name) == ["one", "init", "two"])
        #expect(found.map(\.lineCount) == [1, 3, 8])
    }

    @Test func commentsThatDescribeNothingAreFound() {
        let text = """
            /// The A.
            /// It is large.
            @frozen struct A {
                /// Nothing.

                /// Nothing either.
                // A note.
                let b = 1 // of b
                let text = "/// c"
            }
            // The end.

            """
        #expect(SourceFile(path: "Sources/A/A.swift", text: text).strayComments == [3, 5, 10])
    }

    @Test func importsAndTypesAreFound() {
        let file = SourceFile(
            path: "Sources/Proxy/Observe/Logging/Log.swift",
            text: """
                import HTTP
                @testable import Cache
                // import EventLoop
                public final class Log<Element>: Sendable {
                    struct Line {}
                }
                private struct Own {}
                indirect enum Tree { case leaf }
                extension Array {}
                let text = "import Upstream"
                """)
        #expect(file.imports.map(\.module) == ["HTTP", "Cache"] && file.imports.map(\.line) == [0, 1])
        #expect(file.types == ["Log", "Tree"])
        #expect(file.module == "Proxy" && file.folder == "Observe/Logging")
    }
}
