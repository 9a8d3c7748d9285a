// Genres with Apple's own numbers, and their names in the languages that differ.

/// A genre; `names` in the order of `Language`.
struct Genre: Sendable {
    let id: String
    let names: [String]

    func name(_ language: Language) -> String { names[language.rawValue] }

    /// "Music", the parent of all, is the first.
    static let all: [Genre] = rows.map { Genre(id: $0.0, names: $0.1) }

    private static let rows: [(String, [String])] = [
        ("34", ["Music", "Musik", "Musique", "ミュージック", "Música"]),
        ("20", ["Alternative", "Alternative", "Alternative", "オルタナティブ", "Alternativa"]),
        ("21", ["Rock", "Rock", "Rock", "ロック", "Rock"]),
        ("14", ["Pop", "Pop", "Pop", "ポップ", "Pop"]),
        ("18", ["Hip-Hop/Rap", "Hip-Hop/Rap", "Hip-hop/Rap", "ヒップホップ/ラップ", "Hip-Hop/Rap"]),
        ("15", ["R&B/Soul", "R&B/Soul", "R&B/Soul", "R&B／ソウル", "R&B/Soul"]),
        ("17", ["Dance", "Dance", "Dance", "ダンス", "Dance"]),
        ("7", ["Electronic", "Electronic", "Électronique", "エレクトロニック", "Electrónica"]),
        ("11", ["Jazz", "Jazz", "Jazz", "ジャズ", "Jazz"]),
        ("5", ["Classical", "Klassik", "Classique", "クラシック", "Clásica"]),
        ("6", ["Country", "Country", "Country", "カントリー", "Country"]),
        ("2", ["Blues", "Blues", "Blues", "ブルース", "Blues"]),
        ("24", ["Reggae", "Reggae", "Reggae", "レゲエ", "Reggae"]),
        ("19", ["Worldwide", "Weltmusik", "Musiques du monde", "ワールド", "Internacional"]),
        ("12", ["Latin", "Latin", "Musique latine", "ラテン", "Latina"]),
        ("16", ["Soundtrack", "Soundtrack", "Bandes originales", "サウンドトラック", "Bandas sonoras"]),
        ("10", ["Singer/Songwriter", "Singer/Songwriter", "Auteur-compositeur", "シンガーソングライター", "Cantautores"]),
        ("27", ["J-Pop", "J-Pop", "J-Pop", "J-Pop", "J-Pop"]),
        ("51", ["K-Pop", "K-Pop", "K-Pop", "K-Pop", "K-Pop"]),
        ("1153", ["Metal", "Metal", "Métal", "メタル", "Metal"]),
        ("13", ["New Age", "New Age", "New Age", "ニューエイジ", "New Age"]),
        ("4", ["Children’s Music", "Kindermusik", "Musique pour enfants", "キッズ", "Música infantil"]),
        ("50000066", ["German Pop", "Deutschpop", "Pop allemande", "ドイツのポップ", "Pop alemán"]),
        ("50000064", ["French Pop", "Französischer Pop", "Variété française", "フレンチポップ", "Pop francés"]),
    ]
}

extension Catalog {
    /// The genre of an artist; the artist's albums, songs and videos share it.
    func genre(ofArtist artist: Int) -> Int { 1 + seed.number(below: Genre.all.count - 1, .genre, artist) }
}
