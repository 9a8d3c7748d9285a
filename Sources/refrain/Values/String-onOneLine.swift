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
}
