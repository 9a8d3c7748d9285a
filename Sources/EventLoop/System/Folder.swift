import Glibc

/// Folders of the file system.
public enum Folder {
    /// The names in a folder, in no order; not those of itself and of its parent.
    /// - Throws: where not all of them could be read.
    public static func names(in path: String) throws(SystemError) -> [String] {
        guard let folder = opendir(path) else { throw .last("opendir") }
        defer { closedir(folder) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(folder) else { break }
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { raw in
                String(decoding: raw.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        guard errno == 0 else { throw .last("readdir") }
        return names
    }
}
