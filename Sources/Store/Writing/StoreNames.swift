import EventLoop

/// The names of a store's files, judged before any of them is opened: SQLite opens them by name,
/// and believes what it finds.
enum StoreNames {
    /// Companions of the database, which SQLite and the lock make and believe.
    private static let companions = ["", "-wal", "-shm", "-journal", ".lock", ".segments"]

    /// Why a name of the store at `path` must not be used; nil where another user cannot have laid
    /// any of it there, or there is no folder. Costs two system calls for each name.
    static func objection(to path: String, _ trust: FileTrust = .ofThisProcess) -> FileObjection? {
        guard let place = try? FilePlace(of: path) else { return nil }
        if let objection = trust.objection(to: place.folder.facts) { return objection }
        for companion in companions {
            if let objection = objection(to: place.name + companion, in: place.folder, trust) { return objection }
        }
        let segments = Segments.folder(of: path)
        guard let names = try? Folder.names(in: segments), let folder = try? OpenFolder(segments + "/") else {
            return nil
        }
        for name in names.sorted() where Segments.number(name) != nil {
            if let objection = objection(to: name, in: folder, trust) { return objection }
        }
        return nil
    }

    private static func objection(to name: String, in folder: OpenFolder, _ trust: FileTrust) -> FileObjection? {
        guard let facts = try? folder.facts(of: name) else { return nil }
        return trust.objection(to: facts, in: folder.facts, for: .believed)
    }
}
