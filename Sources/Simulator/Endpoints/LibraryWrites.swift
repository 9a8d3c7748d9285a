// Writes to a library: items by id (202), playlists, tracks and folders from JSON bodies (201)
// (APPLE-MUSIC-API 3.2.15, 3.2.16).

import Text

extension SimulatedExchange {
    func write(_ elements: [String], _ user: UserLibrary) throws(APIError) -> Reply {
        // No way to delete from a library with a normal developer token: 401
        // (APPLE-MUSIC-API 3.2.22).
        if request.method == "DELETE", elements.count == 2, elements[0] == "playlists" { throw .unauthorized }
        guard request.method == "POST" else { throw .methodNotAllowed }
        switch (elements.first, elements.count) {
        case (nil, 0): return try addToLibrary(user)
        case ("playlists", 1): return try create(.libraryPlaylists, user)
        case ("playlists", 3) where elements[2] == "tracks": return try addTracks(elements[1], user)
        case ("playlist-folders", 1): return try create(.libraryPlaylistFolders, user)
        default: throw .methodNotAllowed
        }
    }

    /// `POST /me/library?ids[albums]=1,2`: unknown ids are ignored, the answer has no body.
    private func addToLibrary(_ user: UserLibrary) throws(APIError) -> Reply {
        let types: [SimulatedType] = [.albums, .songs, .musicVideos, .playlists]
        let items = try typedBatch { name in
            types.first { $0.name == name }
        } items: { type, ids in
            ids.compactMap { catalog.resource(type, id: $0) }
        }
        let available = items.filter { catalog.isAvailable($0, in: user.market) }
        world.change(user.name) { library in
            for item in available { library.add(item, request.nowUnixSeconds, catalog) }
        }
        return Reply(status: 202)
    }

    /// A playlist with its tracks, or a folder.
    private func create(_ type: SimulatedType, _ user: UserLibrary) throws(APIError) -> Reply {
        let document = try body()
        guard let name = document["attributes"]?["name"]?.stringValue, !name.isEmpty else {
            throw .invalidBody("attributes.name is required")
        }
        let (folder, now) = (folder(in: document, user), request.nowUnixSeconds)
        let isFolder = type == .libraryPlaylistFolders
        let changed = world.change(user.name) { library in
            let serial = library.takeSerial()
            if isFolder {
                library.folders.append(LibraryFolder(serial: serial, name: name, parent: folder, addedAt: now))
                return
            }
            let playlist = LibraryPlaylist(
                serial: serial, name: name, description: document["attributes"]?["description"]?.stringValue,
                tracks: songs(document["relationships"]?["tracks"]?["data"], user), addedAt: now,
                catalogPlaylist: nil, folder: folder)
            library.playlists.insert(playlist, at: 0)
        }
        return reply(try context(user.market, user: changed), status: 201) { renderer in
            data([Resource(type, changed.nextSerial - 1)], &renderer, .item(isMixed: true))
            if isFolder { renderer.total(1) }
        }
    }

    private func addTracks(_ id: String, _ user: UserLibrary) throws(APIError) -> Reply {
        guard let playlist = user.resource(.libraryPlaylists, id: id, catalog) else { throw .notFound }
        guard user.playlist(playlist.number)?.catalogPlaylist == nil else {
            throw APIError(status: 403, code: "40300", title: "Forbidden", detail: "The playlist cannot be edited")
        }
        let tracks = songs(try body()["data"], user)
        world.change(user.name) { library in
            guard let index = library.playlists.firstIndex(where: { $0.serial == playlist.number }) else { return }
            library.playlists[index].tracks += tracks
        }
        return Reply(status: 201)
    }

    /// The folder that a body puts the new one into; without one the root.
    private func folder(in document: JSON, _ user: UserLibrary) -> Int {
        let parent = document["relationships"]?["parent"]?["data"]?[0]?["id"]?.stringValue
        let folder = parent.flatMap { user.resource(.libraryPlaylistFolders, id: $0, catalog) }
        return folder?.number ?? UserLibrary.rootFolder
    }

    /// The songs that an array of `{id, type}` names; unknown ones are ignored.
    private func songs(_ array: JSON?, _ user: UserLibrary) -> [Int] {
        (array?.arrayValue ?? []).compactMap { element in
            guard let id = element["id"]?.stringValue else { return nil }
            switch element["type"]?.stringValue {
            case "songs": return catalog.resource(.songs, id: id)?.number
            case "library-songs": return user.resource(.librarySongs, id: id, catalog)?.number
            default: return nil
            }
        }
    }
}
