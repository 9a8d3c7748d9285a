// ISRC and UPC: codes that name recordings and releases, readable backwards so that filters need no
// table.

extension Catalog {
    private static let digits = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
    private static let countries = ["GB", "US", "DE", "FR", "JP", "QZ"]
    private static let upcBase = 602_440_000_00

    /// The recording's code: country, the artist in base 36, a year, and the album's and track's
    /// place.
    func isrc(ofSong song: Int) -> String {
        let (album, track) = (song / Self.songSpan, song % Self.songSpan - 1)
        let origin = recordingAlbum(album: album, track: track)
        return isrc(artist: artist(ofAlbum: origin), recording: ordinal(ofAlbum: origin) * Self.mostTracks + track)
    }

    /// Music videos have codes of their own, told apart by their year `00`.
    func isrc(ofVideo video: Int) -> String {
        let artist = artist(ofVideo: video)
        return isrc(artist: artist, recording: video - Int(videoStart[artist]), isVideo: true)
    }

    private func isrc(artist: Int, recording: Int, isVideo: Bool = false) -> String {
        var text = Array(Self.countries[seed.number(below: Self.countries.count, .code, artist)].utf8)
        for place in [1296, 36, 1] { text.append(Self.digits[artist / place % 36]) }
        let year = isVideo ? 0 : 60 + seed.number(below: 40, .code, artist, 1)
        for place in [10, 1] { text.append(Self.digits[year / place % 10]) }
        for place in [10000, 1000, 100, 10, 1] { text.append(Self.digits[recording / place % 10]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// The songs of a recording's code, in catalog order; empty for codes that never were.
    func songs(isrc: String) -> [Resource] {
        guard let (artist, recording) = recording(isrc: isrc) else { return [] }
        let (ordinal, track) = (recording / Self.mostTracks, recording % Self.mostTracks)
        let albums = albums(ofArtist: artist)
        guard ordinal < albums.count else { return [] }
        return songs(ofRecordingAlbum: albums.lowerBound + ordinal, track: track).filter {
            self.isrc(ofSong: $0.number) == isrc
        }
    }

    func videos(isrc: String) -> [Resource] {
        guard let (artist, recording) = recording(isrc: isrc) else { return [] }
        let videos = videos(ofArtist: artist)
        guard recording < videos.count, self.isrc(ofVideo: videos.lowerBound + recording) == isrc else { return [] }
        return [Resource(.musicVideos, videos.lowerBound + recording)]
    }

    private func recording(isrc: String) -> (artist: Int, recording: Int)? {
        let bytes = Array(isrc.utf8)
        guard bytes.count == 12, let artist = Int(String(decoding: bytes[2..<5], as: UTF8.self), radix: 36),
            let recording = Int(String(decoding: bytes[7...], as: UTF8.self)), recording >= 0,
            (0..<artistCount).contains(artist)
        else { return nil }
        return (artist, recording)
    }

    /// The release's code as the attribute spells it: 14 digits with two leading zeros, the last a
    /// check digit.
    func upc(ofAlbum album: Int) -> String {
        let body = Self.upcBase + album
        return "00" + String(body) + String(Self.checkDigit(of: body))
    }

    /// The key `meta.filters.upc` uses: leading zeros off, then padded to 13 digits
    /// (APPLE-MUSIC-API 5.1.6).
    static func normalised(upc: String) -> String {
        let significant = upc.drop { $0 == "0" }
        return String(repeating: "0", count: max(0, 13 - significant.count)) + significant
    }

    func albums(upc: String) -> [Resource] {
        guard let value = Int(Self.normalised(upc: upc)), value >= 0 else { return [] }
        let album = value / 10 - Self.upcBase
        guard album >= 0, album < albumCount, value % 10 == Self.checkDigit(of: value / 10) else { return [] }
        return [Resource(.albums, album)]
    }

    private static func checkDigit(of body: Int) -> Int {
        var (sum, rest, weight) = (0, body, 3)
        while rest > 0 {
            sum += rest % 10 * weight
            rest /= 10
            weight = 4 - weight
        }
        return (10 - sum % 10) % 10
    }
}
