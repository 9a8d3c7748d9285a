// The attributes of resources: which ones a type has, and their values, with the names of the
// captures (APPLE-MUSIC-API 5.2.5). Library songs have no isrc (APPLE-MUSIC-API 5.2.6).

import Text

enum Attribute: String, Sendable {
    case albumName, artistName, artistUrl, artwork, audioVariants, canEdit, composerName, contentRating
    case copyright, curatorName, dateAdded, defaultLanguageTag, description, discNumber, durationInMillis
    case editorialNotes, editorialVideo, explicitContentPolicy, genreNames, has4K, hasCatalog, hasHDR
    case hasLyrics, isAppleDigitalMaster, isChart, isCompilation, isComplete, isGroupRecommendation, isLive
    case isMasteredForItunes, isPublic, isSingle, isrc, kind, lastModifiedDate, mediaKind, name
    case nextUpdateDate, playParams, playlistType, previews, recordLabel, releaseDate, resourceTypes
    case shortName, supportedDrms, supportedLanguageTags, title, trackCount, trackNumber, upc, url
}

extension Renderer {
    /// The attributes of each type, in the order in which its objects have them.
    private static let attributesByType: [SimulatedType: [Attribute]] = [
        .activities: [.artwork, .name, .url],
        .albums: [
            .copyright, .genreNames, .releaseDate, .upc, .isMasteredForItunes, .artwork, .playParams, .url,
            .recordLabel, .trackCount, .isCompilation, .isSingle, .name, .contentRating, .artistName,
            .editorialNotes, .isComplete, .artistUrl, .audioVariants, .editorialVideo,
        ],
        .appleCurators: [.editorialNotes, .artwork, .name, .shortName, .kind, .url],
        .artists: [.genreNames, .name, .artwork, .url, .editorialNotes, .editorialVideo],
        .curators: [.editorialNotes, .artwork, .name, .url],
        .genres: [.name],
        .musicVideos: [
            .genreNames, .durationInMillis, .releaseDate, .isrc, .artwork, .playParams, .url, .has4K, .hasHDR, .name,
            .previews, .artistName, .artistUrl, .audioVariants, .editorialVideo,
        ],
        .playlists: [
            .artwork, .isChart, .url, .lastModifiedDate, .name, .playlistType, .curatorName, .playParams,
            .description,
        ],
        .recordLabels: [.artwork, .description, .name, .url],
        .songs: [
            .albumName, .genreNames, .trackNumber, .releaseDate, .durationInMillis, .isrc, .artwork, .composerName,
            .playParams, .url, .discNumber, .hasLyrics, .isAppleDigitalMaster, .name, .previews, .artistName,
            .contentRating, .artistUrl, .audioVariants, .editorialVideo,
        ],
        .stations: [.artwork, .mediaKind, .isLive, .name, .playParams, .supportedDrms, .editorialNotes, .url],
        .stationGenres: [.name],
        .storefronts: [.supportedLanguageTags, .defaultLanguageTag, .name, .explicitContentPolicy],
        .libraryAlbums: [
            .trackCount, .genreNames, .releaseDate, .name, .artistName, .artwork, .playParams, .dateAdded,
        ],
        .libraryArtists: [.name],
        .librarySongs: [
            .albumName, .discNumber, .genreNames, .trackNumber, .hasLyrics, .releaseDate, .durationInMillis, .name,
            .artistName, .artwork, .playParams, .contentRating,
        ],
        .libraryMusicVideos: [
            .name, .trackNumber, .playParams, .artwork, .artistName, .durationInMillis, .genreNames,
        ],
        .libraryPlaylists: [.canEdit, .name, .description, .dateAdded, .isPublic, .hasCatalog, .playParams],
        .libraryPlaylistFolders: [.name, .dateAdded],
        .personalRecommendation: [.nextUpdateDate, .isGroupRecommendation, .title, .resourceTypes, .kind],
    ]

    mutating func attributes(of resource: Resource) {
        if resource.type.isLibrary, context.user == nil { return }
        for attribute in Self.attributesByType[resource.type] ?? [] where wants(attribute.rawValue) {
            let name = attribute.rawValue
            switch attribute {
            case .artwork: artwork(of: resource)
            case .description, .editorialNotes: notes(name, of: resource)
            case .playParams: playParams(of: resource)
            case .previews: previews(of: resource)
            case .url: webLink(to: resource)
            case .artistUrl, .audioVariants, .editorialVideo:
                // Attributes that only `extend` brings (APPLE-MUSIC-API 4.3.4).
                if extensions.contains(name) { extended(attribute, of: resource) }
            default:
                if let value = music(attribute, of: resource) ?? other(attribute, of: resource) {
                    json.member(name, value)
                }
            }
        }
    }

    /// An attribute of albums, songs, videos and artists, in the catalog or a library; nil where
    /// the resource does not have it.
    private func music(_ attribute: Attribute, of resource: Resource) -> JSON? {
        let (type, number) = (resource.type, resource.number)
        switch attribute {
        case .name: return .string(name(of: resource))
        case .albumName: return .string(catalog.name(ofAlbum: catalog.album(of: resource)))
        case .artistName: return .string(artistName(of: resource))
        case .composerName:
            return .string(catalog.name(ofArtist: catalog.composer(ofSong: number), context.language))
        case .contentRating:
            let isExplicit = type == .albums ? catalog.isExplicit(album: number) : catalog.isExplicit(song: number)
            return isExplicit ? "explicit" : nil
        case .copyright:
            let year = catalog.date(ofAlbum: number, in: context.market).year
            return .string("℗ " + String(year) + " " + label(ofAlbum: number) + ", exclusively licensed")
        case .discNumber: return .integer(1 + catalog.track(ofSong: number) / 100)
        case .durationInMillis: return .integer(duration(of: resource))
        case .genreNames:
            let genre = Genre.all[catalog.genre(ofArtist: catalog.artist(of: resource))]
            let genres = type.isLibrary || type == .artists ? [genre] : [genre, Genre.all[0]]
            return .array(genres.map { .string($0.name(context.language)) })
        case .has4K: return .bool(number % 4 == 0)
        case .hasHDR: return .bool(number % 9 == 0)
        case .hasLyrics: return .bool(number % 5 != 0)
        case .isAppleDigitalMaster, .isMasteredForItunes: return .bool(catalog.album(of: resource) % 3 != 0)
        case .isCompilation: return .bool(catalog.edition(ofAlbum: number) == .reissue)
        case .isComplete: return true
        case .isSingle: return .bool(catalog.trackCount(ofAlbum: number) == 1)
        case .isrc: return .string(type == .songs ? catalog.isrc(ofSong: number) : catalog.isrc(ofVideo: number))
        case .recordLabel: return .string(label(ofAlbum: number))
        case .releaseDate:
            return .string(catalog.date(ofAlbum: catalog.album(of: resource), in: context.market).text)
        case .trackCount:
            guard type == .libraryAlbums else { return .integer(catalog.trackCount(ofAlbum: number)) }
            return (context.user?.entry(ofAlbum: number)?.tracks.count).map(JSON.integer)
        case .trackNumber: return .integer(type == .libraryMusicVideos ? 0 : catalog.track(ofSong: number) + 1)
        case .upc: return .string(catalog.upc(ofAlbum: number))
        default: return nil
        }
    }

    /// An attribute of the other types, and those that only a library has.
    private func other(_ attribute: Attribute, of resource: Resource) -> JSON? {
        let number = resource.number
        switch attribute {
        case .canEdit: return .bool(context.user?.playlist(number)?.catalogPlaylist == nil)
        case .curatorName: return .string(catalog.name(ofCurator: catalog.curator(ofPlaylist: number)))
        case .dateAdded: return context.user?.addedAt(resource).map { .string(LogTime.rfc3339($0)) }
        case .defaultLanguageTag: return .string(Market.all[number].defaultTag)
        case .explicitContentPolicy: return .string(Market.all[number].explicitPolicy)
        case .hasCatalog: return .bool(context.user?.playlist(number)?.catalogPlaylist != nil)
        case .isChart: return .bool(catalog.isChart(playlist: number))
        case .isGroupRecommendation, .isPublic: return false
        case .isLive: return .bool(number < 3)
        case .kind where resource.type == .appleCurators: return (3..<20).contains(number) ? "Show" : "Genre"
        case .kind: return "music-recommendations"
        case .lastModifiedDate:
            let seconds = catalog.seed.number(below: 90_000_000, .date, number, 5)
            let modifications = 86_400 * catalog.modifications(ofPlaylist: number)
            return .string(LogTime.rfc3339(1_650_000_000 + Int64(seconds + modifications)))
        case .mediaKind: return "audio"
        case .nextUpdateDate: return "2026-12-01T15:59:59Z"
        case .playlistType: return catalog.curator(ofPlaylist: number).type == .curators ? "external" : "editorial"
        case .resourceTypes: return [number % 2 == 0 ? "playlists" : "albums"]
        case .shortName: return .string(String(name(of: resource).dropFirst("Apple Music ".count)))
        case .supportedDrms: return number < 3 ? ["fairplay", "playready", "widevine"] : nil
        case .supportedLanguageTags: return .array(Market.all[number].tags.map(JSON.string))
        case .title: return ["stringForDisplay": number % 2 == 0 ? "Made for You" : "Recently Released"]
        default: return nil
        }
    }

    func name(of resource: Resource) -> String {
        context.user?.name(of: resource) ?? catalog.name(of: resource, context.language)
    }

    private func artistName(of resource: Resource) -> String {
        let first = catalog.name(ofArtist: catalog.artist(of: resource), context.language)
        guard resource.type == .albums || resource.type == .songs,
            let guest = catalog.guest(ofAlbum: catalog.album(of: resource))
        else { return first }
        return first + " & " + catalog.name(ofArtist: guest, context.language)
    }

    private func duration(of resource: Resource) -> Int {
        let isSong = resource.type == .songs || resource.type == .librarySongs
        return isSong
            ? 61_000 + catalog.seed.number(below: 330_000, .duration, resource.number)
            : 90_000 + catalog.seed.number(below: 300_000, .duration, resource.number, 1)
    }

    private func label(ofAlbum album: Int) -> String { catalog.name(ofLabel: album % catalog.labelCount) }

    private mutating func extended(_ attribute: Attribute, of resource: Resource) {
        switch attribute {
        case .artistUrl:
            let artist = catalog.id(of: Resource(.artists, catalog.artist(of: resource)))
            json.member(attribute.rawValue, "https://music.apple.com/" + context.market.code + "/artist/" + artist)
        case .audioVariants: json.member(attribute.rawValue, ["lossless", "lossy-stereo"])
        default:
            let url = "https://mvod.itunes.apple.com/itunes-assets/HLSMusic/" + catalog.id(of: resource) + ".m3u8"
            json.member(attribute.rawValue, ["motionDetailSquare": ["video": .string(url)]])
        }
    }

    /// The station that exists for one user only (`filter[identity]=personal`).
    mutating func personalStation(_ id: String, _ user: UserLibrary) {
        json.beginObject()
        personalHead(id)
        json.beginObject("attributes")
        json.key("artwork")
        artworkObject(Resource(.stations, user.key & 0xFFFF), width: 2400, height: 2400, hasColours: false)
        json.member("name", "My Station")
        json.member("mediaKind", "audio")
        stationPlayParams(id, isLive: false)
        webLink("station", name: "my station", id: id)
        json.member("isLive", false)
        json.endObject()
        json.endObject()
    }

    mutating func personalHead(_ id: String) {
        head(id, .stations, path: "/v1/catalog/" + context.market.code + "/stations/" + id)
    }
}
