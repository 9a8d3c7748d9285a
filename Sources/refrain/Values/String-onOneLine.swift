extension String {
    /// The text with a blank in place of each control character and line end, so that one problem
    /// is one line, and nothing that came out of a file can command a terminal.
    var onOneLine: String {
        let scalars = unicodeScalars.map { scalar -> Unicode.Scalar in
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: " "
            default: scalar
            }
        }
        return String(String.UnicodeScalarView(scalars))
    }

    /// The text as far as it fits into `most` bytes of UTF-8: where it does not, cut between two
    /// scalars and ended by "...".
    func cut(toBytes most: Int) -> String {
        guard utf8.count > most else { return self }
        let mark = "..."
        var (kept, count) = (String.UnicodeScalarView(), mark.utf8.count)
        for scalar in unicodeScalars {
            count += UTF8.width(scalar)
            guard count <= most else { break }
            kept.append(scalar)
        }
        return String(kept) + mark
    }
}
