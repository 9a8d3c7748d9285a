import EventLoop
import Testing

@Suite struct FilePathTests {
    /// Three programs' parts took it apart, each in its own way.
    @Test func theFolderOfAPathEndsWithASlash() {
        for (path, folder) in [("/a/b.log", "/a/"), ("/b", "/"), ("a/b", "a/"), ("b", "./"), ("a/", "a/")] {
            #expect(FilePath.folder(of: path) == folder, "\(path)")
        }
    }
}
