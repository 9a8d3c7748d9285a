import Glibc
import TestSupport
import Testing

@testable import Store

/// `check` said nothing of a cache file that the start went on without.
@Suite struct StoreForecastTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A key, a configuration and another program's open database were renamed, and began empty.
    @Test func aFileThatIsNoCacheIsLeftAlone() throws {
        let path = folder.file("cache.sqlite")
        #expect(StoreForecast.trouble(path) == nil && StoreForecast.objection(path) == nil && access(path, F_OK) != 0)
        #expect(warnings(opening: path).isEmpty)
        #expect(StoreForecast.trouble(path) == nil && StoreForecast.objection(path) == nil)
        Segments.remove(folder: Segments.folder(of: path))
        #expect(access(Segments.folder(of: path), F_OK) != 0 && StoreForecast.objection(path) == nil, "by its mark")
        let empty = try folder.put([], "empty")
        #expect(StoreForecast.trouble(empty) == nil && StoreForecast.objection(empty) == nil)
        let foreign = try Database(path: folder.put([], "foreign"), mode: .readWrite, busyTimeout: .zero)
        try foreign.execute("CREATE TABLE precious (x); DROP TABLE precious; VACUUM")
        #expect(StoreForecast.objection(foreign.path) == nil, "there is nothing in it")
        try foreign.execute("PRAGMA journal_mode = WAL; CREATE TABLE precious (x)")
        #expect(StoreForecast.objection(foreign.path) != nil, "its table is in its log")
        _ = try foreign.checkpoint()
        let key = try folder.put("-----BEGIN PRIVATE KEY-----".utf8, "key.p8")
        let short = try folder.put("SQLite format 3\0".utf8, "short")
        for path in [foreign.path, key, short] {
            #expect(StoreForecast.objection(path)?.contains("not a cache file") == true, "\(path)")
        }
        #expect(mkdir(Segments.folder(of: key), 0o700) == 0 && StoreForecast.objection(key) == nil, "damaged")
        #expect(mkdir(Segments.folder(of: foreign.path), 0o700) == 0)
        #expect(StoreForecast.objection(foreign.path)?.contains("the database of another program") == true)
    }

    /// The first start made the folder that is a sign, and the second renamed the file.
    @Test func aFileThatWasRefusedIsRefusedAgain() throws {
        let foreign = try Database(path: folder.put([], "foreign"), mode: .readWrite, busyTimeout: .zero)
        try foreign.execute("PRAGMA page_size = \(Schema.pageBytes); PRAGMA auto_vacuum = INCREMENTAL")
        try foreign.execute("PRAGMA journal_mode = WAL; CREATE TABLE precious (x)")
        #expect(chmod(foreign.path, 0o644) == 0)
        for _ in 0..<2 {
            #expect(warnings(opening: foreign.path).contains { $0.contains("the database of another program") })
            var status = stat()
            #expect(stat(foreign.path, &status) == 0 && status.st_mode & 0o777 == 0o644)
            #expect(access(Segments.folder(of: foreign.path), F_OK) != 0)
        }
    }

    @Test func aFileOfAVersionThatIsNotTakenOverIsForetold() throws {
        let path = folder.file("cache.sqlite")
        #expect(warnings(opening: path).isEmpty)
        for version in [Schema.version + 1, Schema.version - 2] {
            let database = try Database(path: path, mode: .readWrite, busyTimeout: .zero)
            try database.execute("PRAGMA user_version = \(version)")
            _ = try database.checkpoint()
            #expect(StoreForecast.trouble(path)?.contains("of version \(version)") == true)
        }
    }

    @Test func theForecastAgreesWithTheStart() throws {
        #expect(mkdir(folder.file("folder"), 0o700) == 0 && mkfifo(folder.file("pipe"), 0o600) == 0)
        let regular = try folder.put("text".utf8, "regular")
        let beside = try folder.put([], "beside")
        _ = try folder.put([], "beside.segments")
        let (missing, directory, pipe) = (folder.file("no/x.sqlite"), folder.file("folder"), folder.file("pipe"))
        for path in [missing, directory, pipe, regular + "/x", beside] {
            #expect(StoreForecast.trouble(path)?.hasSuffix("in memory only") == true, "\(path)")
            #expect(!warnings(opening: path).isEmpty, "\(path)")
        }
        let junk = try folder.put(Array(repeating: UInt8(ascii: "j"), count: 4096), "junk")
        #expect(mkdir(Segments.folder(of: junk), 0o700) == 0)
        #expect(StoreForecast.trouble(junk)?.hasSuffix("start with an empty one") == true)
        #expect(warnings(opening: junk).contains { $0.contains("starting with an empty one") })
        #expect(StoreForecast.trouble(junk) == nil)
    }
}
