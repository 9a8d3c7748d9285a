import Text

// The parts that albums, songs and videos share: artwork, previews, links, notes.

extension Renderer {
    private static let colours = ["textColor1", "textColor2", "textColor3", "textColor4"]

    /// Artwork: the URL is a template with literal `{w}x{h}` (APPLE-MUSIC-API 5.2.7).
    mutating func artwork(_ resource: Resource, width: Int = 3000, height: Int = 3000, hasColours: Bool = true) {
        guard wants("artwork") else { return }
        json.key("artwork")
        artworkObject(resource, width: width, height: height, hasColours: hasColours)
    }

    mutating func artworkObject(_ resource: Resource, width: Int, height: Int, hasColours: Bool) {
        let bits = catalog.seed.bits(.artwork, resource.distinctNumber)
        json.beginObject()
        json.member("width", width)
        json.member("height", height)
        json.text("url") { bytes in
            bytes.append(text: "https://is")
            bytes.append(0x31 + UInt8(bits % 5))
            bytes.append(text: "-ssl.mzstatic.com/image/thumb/Music1")
            bytes.append(text: String(12 + bits % 15))
            bytes.append(text: "/v4/")
            bytes.appendAssetPath(bits)
            bytes.append(text: "/{w}x{h}bb.jpg")
        }
        if hasColours { colours(Int(bits >> 8)) }
        json.endObject()
    }

    private mutating func colours(_ number: Int) {
        let bits = catalog.seed.bits(.colour, number)
        json.text("bgColor") { $0.appendHexadecimal(bits, digits: 6) }
        for (place, name) in Self.colours.enumerated() {
            json.text(name) { $0.appendHexadecimal(bits >> UInt64(7 * (place + 1)), digits: 6) }
        }
    }

    /// A song's preview: one audio file.
    mutating func previews(ofSong song: Int) {
        guard wants("previews") else { return }
        let bits = catalog.seed.bits(.preview, song)
        json.beginArray("previews")
        json.beginObject()
        json.text("url") { bytes in
            bytes.append(text: "https://audio-ssl.itunes.apple.com/itunes-assets/AudioPreview1")
            bytes.append(text: String(12 + bits % 15))
            bytes.append(text: "/v4/")
            bytes.appendAssetPath(bits)
            bytes.append(text: ".plus.aac.p.m4a")
        }
        json.endObject()
        json.endArray()
    }

    mutating func playParams(_ id: String, kind: String) {
        attribute("playParams", ["id": id, "kind": kind])
    }

    /// The page on music.apple.com.
    mutating func webLink(_ kind: String, name: String, id: String, item: String? = nil) {
        guard wants("url") else { return }
        let market = context.market.code
        json.text("url") { bytes in
            bytes.append(text: "https://music.apple.com/")
            bytes.append(text: market)
            bytes.append(0x2F)
            bytes.append(text: kind)
            bytes.append(0x2F)
            bytes.appendSlug(name)
            bytes.append(0x2F)
            bytes.append(text: id)
            guard let item else { return }
            bytes.append(text: "?i=")
            bytes.append(text: item)
        }
    }

    mutating func notes(_ name: String, _ resource: Resource, sentences: Int) {
        guard wants(name) else { return }
        let notes = catalog.notes(resource, context.language, sentences: sentences)
        json.member(name, ["standard": notes.standard, "short": notes.short])
    }

    mutating func genreNames(_ artist: Int) {
        let genres = [Genre.all[catalog.genre(ofArtist: artist)], Genre.all[0]]
        attribute("genreNames", genres.map { $0.name(context.language) })
    }
}

extension [UInt8] {
    /// `aa/bb/cc/aabbccdd-eeee-ffff-0000-111111111111/file`, as media servers name their files.
    mutating func appendAssetPath(_ bits: UInt64) {
        let other = SplitMix64.mixed(bits)
        for shift in [56, 48, 40] as [UInt64] {
            appendHexadecimal(bits >> shift, digits: 2)
            append(0x2F)
        }
        appendHexadecimal(bits >> 32, digits: 8)
        for shift in [48, 32, 16] as [UInt64] {
            append(0x2D)
            appendHexadecimal(other >> shift, digits: 4)
        }
        append(0x2D)
        appendHexadecimal(other ^ bits, digits: 12)
        append(0x2F)
        appendHexadecimal(bits, digits: 10)
    }

    /// Lower-case ASCII letters and digits with single hyphens between words; never empty.
    mutating func appendSlug(_ name: String) {
        let start = count
        for byte in name.utf8 {
            switch byte {
            case 0x61...0x7A, 0x30...0x39: append(byte)
            case 0x41...0x5A: append(byte | 0x20)
            case 0x20, 0x2D: if count > start, self[count - 1] != 0x2D { append(0x2D) }
            default: continue
            }
        }
        if count == start { append(0x78) }
        if self[count - 1] == 0x2D { removeLast() }
        if count == start { append(0x78) }
    }
}
