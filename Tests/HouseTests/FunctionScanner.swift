/// Finds functions and initialisers and how many lines their bodies take.
enum FunctionScanner {
    struct Function: Equatable {
        let name: String
        /// Index of the line that holds its name.
        let line: Int
        /// From that line to the closing brace.
        let lineCount: Int
    }

    static func functions(in code: [String]) -> [Function] {
        code.indices.compactMap { index in
            name(in: code[index]).flatMap { name in
                body(in: code, from: index).map { end in
                    Function(name: name, line: index, lineCount: end - index + 1)
                }
            }
        }
    }

    private static func name(in line: String) -> String? {
        let words = line.split { " (<{".contains($0) }.map(String.init)
        if let keyword = words.firstIndex(of: "func"), words.indices.contains(keyword + 1) { return words[keyword + 1] }
        let modifiers = [
            "public", "private", "fileprivate", "internal", "package", "required", "convenience", "override",
        ]
        let first = words.first { !modifiers.contains($0) && !$0.hasPrefix("@") }
        return ["init", "init?", "deinit", "subscript"].contains(first ?? "") ? first : nil
    }

    /// The line of the brace that closes the first brace outside parentheses; nil where there is no
    /// body, which shows by another declaration or a closing brace coming first.
    private static func body(in code: [String], from start: Int) -> Int? {
        var braces = 0
        var parentheses = 0
        for index in start..<code.count {
            if index > start, braces == 0, parentheses == 0, name(in: code[index]) != nil { return nil }
            for character in code[index] {
                switch character {
                case "(": parentheses += 1
                case ")": parentheses -= 1
                case "{" where parentheses == 0 || braces > 0: braces += 1
                case "}" where parentheses == 0 || braces > 0:
                    braces -= 1
                    if braces < 0 { return nil }
                    if braces == 0 { return index }
                default: break
                }
            }
        }
        return nil
    }
}
