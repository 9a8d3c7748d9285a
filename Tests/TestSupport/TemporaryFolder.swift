import Foundation

/// A folder of files for one test, gone with it.
public final class TemporaryFolder: Sendable {
    public let url: URL

    public init() throws {
        url = URL(fileURLWithPath: try Self.make())
        TestRun.made(url.lastPathComponent)
    }

    /// The path is short for Unix sockets; other users' processes may look into the folder.
    static func make() throws -> String {
        let path = strdup(NSTemporaryDirectory() + "refrain-" + String(repeating: "X", count: 6))
        defer { free(path) }
        guard let path, mkdtemp(path) != nil, chmod(path, 0o755) == 0 else { throw CocoaError(.fileWriteUnknown) }
        return String(cString: path)
    }

    /// Removes the files under another path: a store that still works could otherwise make one in
    /// the meantime, and the folder would stay.
    deinit {
        let removed = URL(fileURLWithPath: path + "-removed")
        guard (try? FileManager.default.moveItem(at: url, to: removed)) != nil else { return }
        try? FileManager.default.removeItem(at: removed)
    }

    public var path: String { url.path }

    /// The path of a file in it, be it there or not.
    public func file(_ name: String = "traffic.jsonl") -> String { url.appendingPathComponent(name).path }

    public var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
    }

    public func bytes(_ name: String = "traffic.jsonl") throws -> [UInt8] {
        Array(try Data(contentsOf: url.appendingPathComponent(name)))
    }

    /// The content of a file as text; empty where it cannot be read.
    public func text(_ name: String) -> String {
        (try? bytes(name)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// All bytes of all files, those in folders too.
    public var everything: Data {
        get throws {
            var all = Data()
            for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
                var isFolder: ObjCBool = false
                guard FileManager.default.fileExists(atPath: file(name), isDirectory: &isFolder), !isFolder.boolValue
                else { continue }
                all += try bytes(name)
            }
            return all
        }
    }

    /// Writes a file, and gives its path.
    @discardableResult
    public func put(_ bytes: some Sequence<UInt8>, _ name: String = "traffic.jsonl") throws -> String {
        try Data(bytes).write(to: url.appendingPathComponent(name))
        return file(name)
    }

    /// Writes a file with these permissions, and gives its path.
    @discardableResult public func put(_ text: String, _ name: String, mode: Int) throws -> String {
        try put(text.utf8, name)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file(name))
        return file(name)
    }

    /// Copies a file to one that can be run here, by a process of its own.
    ///
    /// A child that another test starts has this process's descriptors until it runs its own
    /// program, and a file that is open for writing in any process cannot be run (ETXTBSY).
    @discardableResult public func putProgram(from path: String, _ name: String) throws -> String {
        guard try Tool(at: "/bin/cp").run([path, file(name)]).status == 0, chmod(file(name), 0o755) == 0 else {
            throw CocoaError(.fileWriteUnknown)
        }
        return file(name)
    }

    /// The same of a script.
    @discardableResult public func putProgram(_ script: String, _ name: String) throws -> String {
        try putProgram(from: put(script.utf8, name + ".text"), name)
    }

    public func has(_ name: String) -> Bool { FileManager.default.fileExists(atPath: file(name)) }

    public func move(_ name: String, to other: String) throws {
        try FileManager.default.moveItem(atPath: file(name), toPath: file(other))
    }

    public func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: file(name)) }
}
