import Text

// Library ids: `l.`, `i.`, `r.`, `p.` and base 62, from which the number can be read back with the
// user's own key.

extension UserLibrary {
    private static let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
    private static let factor: UInt32 = 0x85EB_CA6B
    private static let videoMark: UInt32 = 1 << 30
    private static let rootID = "p.playlistsroot"

    func id(of resource: Resource, _ catalog: Catalog) -> String {
        switch resource.type {
        case .libraryAlbums: "l." + short(resource.number, 1)
        case .libraryArtists: "r." + short(resource.number, 2)
        case .librarySongs:
            // A playlist may hold songs that are not in the library: these have the catalog's id
            // (APPLE-MUSIC-API 5.2.3).
            contains(song: resource.number)
                ? "i." + long(UInt32(resource.number))
                : "a." + catalog.id(of: Resource(.songs, resource.number))
        case .libraryMusicVideos: "i." + long(UInt32(resource.number) | Self.videoMark)
        case .libraryPlaylists: "p." + long(UInt32(resource.number) << 1)
        case .libraryPlaylistFolders:
            resource.number == Self.rootFolder ? Self.rootID : "p." + long(UInt32(resource.number) << 1 | 1)
        case .personalRecommendation: "6-" + Self.encode(catalog.seed.bits(.recommendation, key, resource.number))
        default: catalog.id(of: resource)
        }
    }

    /// The library resource that an id of a type means; nil for ids of other users and of things
    /// not in the library.
    func resource(_ type: SimulatedType, id: String, _ catalog: Catalog) -> Resource? {
        guard let number = number(type, id, catalog) else { return nil }
        let resource = Resource(type, number)
        guard contains(resource, catalog), self.id(of: resource, catalog) == id else { return nil }
        return resource
    }

    private func number(_ type: SimulatedType, _ id: String, _ catalog: Catalog) -> Int? {
        let text = id.dropFirst(2)
        let long = Self.decode(text).flatMap { unscramble($0 >> 32, 3) }
        switch (type, id.prefix(2)) {
        case (.libraryAlbums, "l."): return Self.decode(text).flatMap { unscramble($0, 1) }
        case (.libraryArtists, "r."): return Self.decode(text).flatMap { unscramble($0, 2) }
        case (.librarySongs, "i."): return long
        case (.librarySongs, "a."):
            guard let song = catalog.resource(.songs, id: String(text)) else { return nil }
            return contains(song: song.number) ? song.number : nil
        case (.libraryMusicVideos, "i."): return long.map { $0 & Int(Self.videoMark - 1) }
        case (.libraryPlaylistFolders, "p.") where id == Self.rootID: return Self.rootFolder
        case (.libraryPlaylists, "p."), (.libraryPlaylistFolders, "p."): return long.map { $0 >> 1 }
        default: return nil
        }
    }

    private func mask(_ use: UInt64) -> UInt32 {
        UInt32(truncatingIfNeeded: SplitMix64.mixed(UInt64(bitPattern: Int64(key)) &+ use))
    }

    private func short(_ number: Int, _ use: UInt64) -> String {
        Self.encode(UInt64((UInt32(number) &* Self.factor) ^ mask(use)))
    }

    private func long(_ number: UInt32) -> String {
        let scrambled = UInt64((number &* Self.factor) ^ mask(3))
        return Self.encode(scrambled << 32 | SplitMix64.mixed(scrambled &+ UInt64(mask(4))) >> 32)
    }

    private func unscramble(_ value: UInt64, _ use: UInt64) -> Int? {
        guard value <= UInt64(UInt32.max) else { return nil }
        return Int((UInt32(value) ^ mask(use)) &* Catalog.inverse(Self.factor))
    }

    static func encode(_ value: UInt64) -> String {
        var rest = value
        var digits: [UInt8] = []
        repeat {
            digits.append(alphabet[Int(rest % 62)])
            rest /= 62
        } while rest > 0
        return String(decoding: digits.reversed(), as: UTF8.self)
    }

    static func decode(_ text: Substring) -> UInt64? {
        guard !text.isEmpty, text.utf8.count <= 11 else { return nil }
        var value: UInt64 = 0
        for byte in text.utf8 {
            guard let digit = alphabet.firstIndex(of: byte) else { return nil }
            let (product, overflowed) = value.multipliedReportingOverflow(by: 62)
            let (sum, carried) = product.addingReportingOverflow(UInt64(digit))
            guard !overflowed, !carried else { return nil }
            value = sum
        }
        return value
    }
}
