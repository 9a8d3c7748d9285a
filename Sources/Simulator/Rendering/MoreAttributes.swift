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
        attribute("isChart", catalog.isChart(playlist: playlist))
        webLink("playlist", name: name, id: id)
        let changes = catalog.modifications(ofPlaylist: playlist)
        let modifiedAt = 1_650_000_000 + Int64(seed.number(below: 90_000_000, .date, playlist, 5) + 86_400 * changes)
        attribute("lastModifiedDate", LogTime.rfc3339(modifiedAt))
        attribute("name", name)
        attribute("playlistType", catalog.curator(ofPlaylist: playlist).type == .curators ? "external" : "editorial")
        attribute("curatorName", catalog.name(ofCurator: catalog.curator(ofPlaylist: playlist)))
        if wants("playParams") {
            json.beginObject("playParams")
            json.member("id", id)
            json.member("kind", "playlist")
            json.text("versionHash") { bytes in
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
        attribute("name", name)
        if resource.type == .appleCurators {
            attribute("shortName", String(name.dropFirst("Apple Music ".count)))
            attribute("kind", (3..<20).contains(resource.number) ? "Show" : "Genre")
        }
        webLink(isActivity ? "activity" : "curator", name: name, id: id)
    }

    mutating func stationAttributes(_ resource: Resource) {
        let station = resource.number
        let id = catalog.id(of: resource)
        let name = catalog.name(ofStation: station, context.language)
        artwork(resource, width: 4320, height: 1080)
        attribute("mediaKind", "audio")
        attribute("isLive", station < 3)
        attribute("name", name)
        stationPlayParams(id, isLive: station < 3)
        if station < 3 { attribute("supportedDrms", ["fairplay", "playready", "widevine"]) }
        if wants("editorialNotes"), station < 20 {
            let short = catalog.notes(resource, context.language, sentences: 0).short
            json.member("editorialNotes", ["name": name, "short": short, "tagline": name])
        }
        webLink("station", name: name, id: id)
    }

    private mutating func stationPlayParams(_ id: String, isLive: Bool) {
        let hash = "CgkIBRoF" + String(id.dropFirst(3).prefix(8)) + "EAQ"
        attribute(
            "playParams",
            [
                "id": id, "kind": "radioStation", "format": isLive ? "stream" : "tracks", "stationHash": hash,
                "hasDrm": isLive, "mediaType": 0,
            ])
    }

    /// The station that exists for one user only (`filter[identity]=personal`).
    mutating func personalStation(_ user: UserLibrary) {
        let id = user.stationID(catalog)
        json.beginObject()
        json.member("id", id)
        json.member("type", "stations")
        link("href", "/v1/catalog/" + context.market.code + "/stations/" + id)
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
        attribute("name", name)
        webLink("label", name: name, id: catalog.id(of: resource))
    }

    mutating func storefrontAttributes(_ market: Market) {
        attribute("supportedLanguageTags", market.tags)
        attribute("defaultLanguageTag", market.defaultTag)
        attribute("name", market.name)
        attribute("explicitContentPolicy", market.explicitPolicy)
    }

    mutating func recommendationAttributes(_ resource: Resource) {
        attribute("nextUpdateDate", "2026-12-01T15:59:59Z")
        attribute("isGroupRecommendation", false)
        attribute("title", ["stringForDisplay": resource.number % 2 == 0 ? "Made for You" : "Recently Released"])
        attribute("resourceTypes", [resource.number % 2 == 0 ? "playlists" : "albums"])
        attribute("kind", "music-recommendations")
    }
}
