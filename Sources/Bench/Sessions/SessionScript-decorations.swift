// Parameters that apps add to requests for resources: by app, by the version of the app, and more
// where clients ask for much.

extension SessionScript {
    typealias Parameters = [(name: String, value: String)]

    var artistDecorations: Parameters {
        let include: Parameters = app == .player && !isNewVersion ? [("include", "albums")] : []
        return include + artistViews
    }

    private var artistViews: Parameters {
        switch app {
        case .player where habits.asksForMuch:
            isNewVersion
                ? [("views", set("top-songs", "latest-release", "full-albums"))]
                : [("views", set("top-songs", "singles"))]
        case .web where habits.asksForMuch:
            isNewVersion
                ? [("views", set("full-albums", "singles", "top-songs", "similar-artists"))]
                : [("views", set("full-albums", "appears-on-albums"))]
        case .web where habits.selectsViews: [("views", set("top-songs", "full-albums"))]
        default: []
        }
    }

    mutating func albumDecorations() -> Parameters {
        switch app {
        case .player:
            let isFull = habits.asksForMuch && isNewVersion
            let include = isFull ? set("tracks", "artists", "genres") : set("artists", "genres")
            return chance(60) ? [("include", include)] : []
        case .web:
            let extended: Parameters = chance(25) ? [("extend", "editorialVideo")] : []
            guard habits.asksForMuch else { return [("include", "artists")] + extended }
            guard isNewVersion else { return [("include", "tracks,artists")] + extended }
            return [("include", "tracks,artists,record-labels"), ("views", set("related-albums", "other-versions"))]
        case .tagger: return habits.asksForMuch && isNewVersion ? [("include", "artists,genres")] : []
        }
    }

    /// Parameters of a song that is played or opened.
    var songDecorations: Parameters {
        switch app {
        case .player: habits.asksForMuch && isNewVersion ? [("include", set("albums", "artists"))] : []
        case .web: [("include", habits.asksForMuch && isNewVersion ? "albums,artists,genres" : "albums,artists")]
        case .tagger: []
        }
    }

    var playlistDecorations: Parameters {
        habits.asksForMuch && isNewVersion ? [("include", set("tracks", "curator"))] : []
    }
}
