/// Paths of files, taken apart.
public enum FilePath {
    /// The folder of a path, with its slash; the working directory where the path names none.
    public static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[...$0]) } ?? "./"
    }
}
