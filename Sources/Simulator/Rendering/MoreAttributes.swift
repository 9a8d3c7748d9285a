// The attributes of everything around the music: playlists, curators, stations, labels, genres,
// storefronts.

import Text

extension Renderer {
    mutating func playlistAttributes(_ resource: Resource) {
        let playlist = resource.number
        let seed = catalog.seed
        let id = catalog.id(of: resource)
        let name = catalog.name(ofPlaylist: playlist, context.language)
        artwork(resource, width: 1080, height: 1080)
        flag("isChart", catalog.isChart(playlist: playlist))
        webLink("playlist", name: name, id: id)
        let changes = catalog.modifications(ofPlaylist: playlist)
        let modifiedAt = 1_650_000_000 + Int64(seed.number(below: 90_000_000, .date, playlist, 5) + 86_400 * changes)
        text("lastModifiedDate", LogTime.rfc3339(modifiedAt))
        text("name", name)
        text("playlistType", catalog.curator(ofPlaylist: playlist).type == .curators ? "external" : "editorial")
        text("curatorName", catalog.name(ofCurator: catalog.curator(ofPlaylist: playlist)))
        if wants("playParams") {
            json.beginObject("playParams")
            json.member("id", id)
            json.member("kind", "playlist")
            json.key("versionHash")
            json.text { bytes in
                for part in 0..<4 {
                    bytes.appendHexadecimal(seed.bits(.playlist, playlist, -1 - part - 4 * changes), digits: 16)
                }
            }
            json.endObject()
        }
        notes("description", resource, sentences: 2)
    }

    mutating func curatorAttributes(_ resource: Resource) {
        let id = catalog.id(of: resource)
        let isActivity = resource.type == .activities
        let name = isActivity ? catalog.name(ofActivity: resource.number) : catalog.name(ofCurator: resource)
        if !isActivity { notes("editorialNotes", resource, sentences: 2) }
        artwork(resource, width: 1080, height: 1080)
        text("name", name)
        if resource.type == .appleCurators {
            text("shortName", String(name.dropFirst("Apple Music ".count)))
            text("kind", (3..<20).contains(resource.number) ? "Show" : "Genre")
        }
        webLink(isActivity ? "activity" : "curator", name: name, id: id)
    }

    mutating func stationAttributes(_ resource: Resource) {
        let station = resource.number
        let id = catalog.id(of: resource)
        let name = catalog.name(ofStation: station, context.language)
        artwork(resource, width: 4320, height: 1080)
        text("mediaKind", "audio")
        flag("isLive", station < 3)
        text("name", name)
        stationPlayParams(id, isLive: station < 3)
        if station < 3 { texts("supportedDrms", ["fairplay", "playready", "widevine"]) }
        if wants("editorialNotes"), station < 20 {
            json.beginObject("editorialNotes")
            json.member("name", name)
            json.member("short", catalog.notes(resource, context.language, sentences: 0).short)
            json.member("tagline", name)
            json.endObject()
        }
        webLink("station", name: name, id: id)
    }

    private mutating func stationPlayParams(_ id: String, isLive: Bool) {
        guard wants("playParams") else { return }
        json.beginObject("playParams")
        json.member("id", id)
        json.member("kind", "radioStation")
        json.member("format", isLive ? "stream" : "tracks")
        json.member("stationHash", "CgkIBRoF" + String(id.dropFirst(3).prefix(8)) + "EAQ")
        json.member("hasDrm", isLive)
        json.member("mediaType", 0)
        json.endObject()
    }

    /// The station that exists for one user only (`filter[identity]=personal`).
    mutating func personalStation(_ user: UserLibrary) {
        let id = user.stationID(catalog)
        json.beginObject()
        json.member("id", id)
        json.member("type", "stations")
        json.key("href")
        link("/v1/catalog/" + context.market.code + "/stations/" + id)
        json.beginObject("attributes")
        artwork(Resource(.stations, user.key & 0xFFFF), width: 2400, height: 2400, hasColours: false)
        json.member("name", "My Station")
        json.member("mediaKind", "audio")
        stationPlayParams(id, isLive: false)
        webLink("station", name: "my station", id: id)
        json.member("isLive", false)
        json.endObject()
        json.endObject()
    }

    mutating func labelAttributes(_ resource: Resource) {
        let name = catalog.name(ofLabel: resource.number)
        artwork(resource, width: 1080, height: 1080)
        notes("description", resource, sentences: 3)
        text("name", name)
        webLink("label", name: name, id: catalog.id(of: resource))
    }

    mutating func storefrontAttributes(_ market: Market) {
        texts("supportedLanguageTags", market.tags)
        text("defaultLanguageTag", market.defaultTag)
        text("name", market.name)
        text("explicitContentPolicy", market.explicitPolicy)
    }

    mutating func recommendationAttributes(_ resource: Resource) {
        text("nextUpdateDate", "2026-12-01T15:59:59Z")
        flag("isGroupRecommendation", false)
        if wants("title") {
            json.beginObject("title")
            json.member("stringForDisplay", resource.number % 2 == 0 ? "Made for You" : "Recently Released")
            json.endObject()
        }
        texts("resourceTypes", [resource.number % 2 == 0 ? "playlists" : "albums"])
        text("kind", "music-recommendations")
    }
}
