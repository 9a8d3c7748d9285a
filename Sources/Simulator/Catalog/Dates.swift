// Release dates: a whole date, or for some old releases the year alone (APPLE-MUSIC-API 5.2.8);
// some storefronts are a day late.

/// A release date; `day` 0 means that only the year is known.
struct ReleaseDate: Comparable, Sendable {
    let year: Int
    let month: Int
    let day: Int

    static func < (left: ReleaseDate, right: ReleaseDate) -> Bool {
        (left.year, left.month, left.day) < (right.year, right.month, right.day)
    }

    var text: String {
        if day == 0 { return String(year) }
        return String(year) + (month < 10 ? "-0" : "-") + String(month) + (day < 10 ? "-0" : "-") + String(day)
    }
}

extension Catalog {
    func date(ofAlbum album: Int) -> ReleaseDate {
        let bits = seed.bits(.date, album)
        let year = 1962 + Int(bits % 65)
        if year < 1990, (bits >> 8) & 7 == 0 { return ReleaseDate(year: year, month: 0, day: 0) }
        return ReleaseDate(year: year, month: 1 + Int((bits >> 16) % 12), day: 1 + Int((bits >> 32) % 27))
    }

    func date(ofAlbum album: Int, in market: Market) -> ReleaseDate {
        let date = date(ofAlbum: album)
        guard date.day != 0, seed.isOne(in: 9, .dateShift, album, market.index) else { return date }
        return ReleaseDate(year: date.year, month: date.month, day: date.day + 1)
    }
}
