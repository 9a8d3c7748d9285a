// The words that names are made of. Some carry what bodies must survive: umlauts, emoji, Japanese,
// quotes, backslashes.

enum Vocabulary {
    static let adjectives = [
        "Silver", "Broken", "Electric", "Golden", "Midnight", "Paper", "Velvet", "Hollow", "Neon", "Quiet", "Wild",
        "Distant", "Crystal", "Burning", "Frozen", "Lonely", "Secret", "Restless", "Scarlet", "Gentle", "Endless",
        "Little", "Northern", "Fading", "Sweet", "Blue", "Heavy", "Lucid", "Café", "Naïve",
    ]
    static let nouns = [
        "River", "Heart", "Summer", "Machine", "Garden", "Shadow", "Ocean", "Mirror", "Thunder", "Highway", "Window",
        "Kingdom", "Letter", "Morning", "Dream", "Satellite", "Harbour", "Fire", "Winter", "Echo", "Signal", "Moon",
        "Station", "Wolf", "Parade", "Ghost", "Orchard", "Lighthouse", "Meteor", "Carousel", "Tiger", "Horizon",
    ]
    static let firstNames = [
        "Anna", "Jürgen", "Björk", "Zoë", "Émile", "Siobhán", "Łukasz", "Marta", "Theo", "Chloé", "Håkan", "Inés",
        "Noah", "Aïcha", "Günther", "Renée", "Öykü", "Mira", "Samuel", "Freya",
    ]
    static let lastNames = [
        "Müller", "Bergström", "O’Connor", "Núñez", "Dvořák", "Schröder", "Lefèvre", "Ibáñez", "Kowalski", "Hart",
        "Whitfield", "Şahin", "Björnsdóttir", "Okafor", "Castellano", "Winter", "Ekström", "de la Cruz", "Bell", "Grey",
    ]
    static let japaneseArtists = [
        "星野 ゆき", "東京サンセット", "夜明けの灯", "青空レコード", "月光音楽団", "佐藤 健太郎", "花火とラジオ", "さくら通り",
    ]
    static let rareArtists = [
        "\"Odd\" Al & The Strings", "AC\\DC Tribute", "✨Glitter Kids🎸", "Låt/Den", "!!!", "Tab\tTown",
    ]
    static let verbs = [
        "Follow", "Hold", "Forget", "Remember", "Chase", "Believe", "Carry", "Leave", "Wait for", "Dance with", "Call",
        "Save", "Wake", "Find",
    ]
    static let japaneseTitles = ["夜に駆ける風", "ひかりの街", "雨のあと", "さよなら夏", "春の手紙", "銀河の果て"]
    static let versions = ["Live", "Acoustic", "Remastered", "Demo", "Radio Edit", "Instrumental"]
    static let labels = [
        "Harbour", "Nordwind", "Tall Trees", "Brightside", "Éclair", "Monument", "Kitsune Hill", "Polar", "Red Brick",
        "Open Window",
    ]
    static let moods = [
        "Chill", "Focus", "Workout", "Sunday Morning", "Late Night", "Road Trip", "Rainy Day", "Party", "Sleep",
        "Feel Good",
    ]

    /// Opening sentences of editorial notes, by language.
    static let openings: [[String]] = [
        [
            "A breakthrough keeps no appointments, and this one came a decade late and all at once.",
            "Recorded in a converted boathouse over eleven rainy nights, this is a record that breathes.",
            "Every chorus here opens like a window on the first floor.",
        ],
        [
            "Selten klang ein Aufbruch so gelassen: Hier trifft Größe auf Übermut.",
            "Aufgenommen in elf verregneten Nächten, ist dies ein Album, das atmet.",
            "Nur wenige wissen so genau, was ein Refrain braucht – und was nicht.",
        ],
        [
            "Rarement un départ aura semblé aussi serein : l’élégance y côtoie l’audace.",
            "Enregistré en onze nuits de pluie, voici un disque qui respire à chaque mesure.",
            "Peu d’artistes savent aussi bien ce qu’un refrain doit taire.",
        ],
        [
            "静けさの中に、確かな熱がある。そんな一枚が届いた。",
            "雨の夜に録音された全曲が、ひとつの物語のように流れていく。",
            "この声を聴けば、誰もが足を止めるだろう。",
        ],
        [
            "Pocas veces un comienzo sonó tan sereno: aquí la calma convive con la osadía.",
            "Grabado durante once noches de lluvia, es un disco que respira.",
            "Pocos artistas conocen tan bien los secretos de un estribillo.",
        ],
    ]

    /// Sentences that follow, by language.
    static let continuations: [[String]] = [
        [
            "The drums sit low, the strings sit lower, and above it all a voice that refuses to hurry.",
            "“We wanted every song to sound like the first warm day of the year,” they tell Apple Music.",
            "It’s pop music with dirt under its nails\u{2014}and a heart the size of a stadium.",
            "By the time the last chord fades, you’ll want to start again from the top.",
        ],
        [
            "Das Schlagzeug hält sich zurück, die Streicher noch mehr, und darüber liegt eine Stimme ohne jede Eile.",
            "„Jedes Lied sollte klingen wie der erste warme Tag des Jahres“, heißt es im Gespräch.",
            "Popmusik mit Erde unter den Nägeln und einem Herzen, so groß wie ein Stadion.",
        ],
        [
            "La batterie se fait discrète, les cordes encore plus, et la voix prend tout son temps.",
            "« Chaque chanson devait sonner comme le premier jour de l’été », nous confient-ils.",
            "De la pop aux mains sales, avec un cœur grand comme un stade.",
        ],
        [
            "抑えたドラムと弦の響き、その上を急がない歌声が流れる。",
            "「すべての曲を、その年はじめての暖かい日のようにしたかった」と彼らは語る。",
            "最後の和音が消えるころ、もう一度はじめから聴きたくなる。",
        ],
        [
            "La batería se contiene, las cuerdas aún más, y la voz no tiene prisa alguna.",
            "«Cada canción debía sonar como el primer día cálido del año», cuentan.",
        ],
    ]
}
