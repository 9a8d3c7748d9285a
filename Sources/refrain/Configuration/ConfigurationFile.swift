/// A configuration that a command is about.
struct ConfigurationFile: Sendable {
    let path: String
    /// Whether the program looked for it: then it is read only where no other user can have written
    /// it, and so is what it includes. A file that was named is the caller's choice.
    let isFound: Bool

    /// A file that the caller names.
    init(named path: String) { (self.path, isFound) = (path, false) }

    init(found path: String) { (self.path, isFound) = (path, true) }
}
