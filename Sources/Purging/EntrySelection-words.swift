// A selection as text: in the file.

extension EntrySelection {
    /// The target, where it is the only condition.
    var onlyTarget: [UInt8]? {
        if conditions.count == 1, case .target(let target) = conditions[0] { target } else { nil }
    }

    /// The conditions in words, a line each, as the table of purges has them.
    package var words: [UInt8] {
        var words: [UInt8] = []
        for condition in conditions {
            if !words.isEmpty { words.append(UInt8(ascii: "\n")) }
            let field = ConditionField(condition)
            words += field.name.rawValue.utf8 + [UInt8(ascii: " ")] + field.value
        }
        return words
    }

    /// Without words: everything. Nil where one of the conditions is not understood.
    package init?(words: [UInt8]) {
        self.init()
        if words.isEmpty { return }
        for line in words.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            guard let end = line.firstIndex(of: UInt8(ascii: " ")),
                let field = ConditionField(String(decoding: line[..<end], as: UTF8.self), Array(line[(end + 1)...])),
                let condition = field.condition
            else { return nil }
            narrow(by: condition)
        }
    }
}
