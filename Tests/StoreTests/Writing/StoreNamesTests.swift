import EventLoop
import Glibc
import TestSupport
import Testing

@testable import Store

/// Files at the names of a cache were opened, whoever could write to them.
@Suite struct StoreNamesTests {
    private let folder: TemporaryFolder
    private var path: String { folder.file("cache.sqlite") }

    init() throws { folder = try TemporaryFolder() }

    private func open() -> [String] { warnings(opening: path) }

    private func expectRefusal(of name: String, _ words: String, sourceLocation: SourceLocation = #_sourceLocation) {
        let objection = StoreForecast.distrust(path)?.description ?? ""
        let isNamed = objection.contains("\(folder.file(name)) (") && objection.contains(words)
        #expect(isNamed, "\(objection)", sourceLocation: sourceLocation)
        #expect(open().contains { $0.contains(objection) }, sourceLocation: sourceLocation)
    }

    /// The sticky bit, too, lets others be first.
    @Test(arguments: [0o777, 0o1777, 0o775] as [mode_t]) func aSharedFolderIsRefused(_ mode: mode_t) {
        #expect(StoreForecast.distrust(path) == nil && open().isEmpty)
        #expect(chmod(folder.path, mode) == 0)
        let isOthers = mode & 0o002 != 0
        #expect(StoreForecast.distrust(path)?.description.contains(isOthers ? "by others" : "by group") == true)
        #expect(open().contains { $0.contains("can be written by") })
        #expect(chmod(folder.path, 0o755) == 0)
        #expect(StoreForecast.distrust(path) == nil && open().isEmpty, "nothing has happened to it")
    }

    @Test(arguments: ["", "-wal", "-shm", "-journal", ".lock"])
    func aFileThatOthersCanWriteToIsRefused(_ companion: String) throws {
        try folder.put("", "cache.sqlite" + companion, mode: 0o666)
        expectRefusal(of: "cache.sqlite" + companion, "can be written by others")
    }

    @Test func segmentsThatOthersCanWriteToAreRefused() throws {
        #expect(open().isEmpty)
        #expect(chmod(Segments.folder(of: path), 0o1777) == 0)
        expectRefusal(of: "cache.sqlite.segments", "can be written by others")
        #expect(chmod(Segments.folder(of: path), 0o700) == 0)
        try folder.put("", "cache.sqlite.segments/000001", mode: 0o622)
        expectRefusal(of: "cache.sqlite.segments/000001", "can be written by others")
    }

    @Test(.requires(.root), arguments: ["", "-wal", "-shm", "-journal", ".lock", ".segments", ".segments/000001"])
    func aStrangersFileIsRefused(_ companion: String) throws {
        #expect(open().isEmpty)
        let name = "cache.sqlite" + companion
        if !folder.has(name) { try folder.put("", name, mode: 0o600) }
        #expect(chown(folder.file(name), 65_534, 65_534) == 0)
        expectRefusal(of: name, "belongs to user 65534, not to root")
    }
}
