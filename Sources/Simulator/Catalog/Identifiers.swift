import Text

// Ids: numeric strings like Apple's, from which the number can be read back. They depend on the
// position alone, never on the seed, so that a URL in a document stays good.

extension Catalog {
    private static let playlistFactor: UInt32 = 0x9E37_79B1

    /// How many there are of a type that is numbered from 0, and how its ids are spaced if they are
    /// numbers.
    private func numbering(_ type: SimulatedType) -> (count: Int, ids: (base: Int, stride: Int)?) {
        switch type {
        case .activities: (activityCount, (976_439_000, 1))
        case .albums: (albumCount, (1_400_000_000, Self.songSpan))
        case .appleCurators: (appleCuratorCount, (976_439_500, 1))
        case .artists: (artistCount, (284_000_000, 613))
        case .curators: (curatorCount, (1_107_687_000, 1))
        case .genres: (Genre.all.count, nil)
        case .musicVideos: (videoCount, (1_510_000_000, 7))
        case .playlists: (playlistCount, nil)
        case .recordLabels: (labelCount, (1_543_990_000, 1))
        case .songs: (0, (1_400_000_000, 1))
        case .stationGenres: (Genre.all.count, (1_149_486_000, 1))
        case .stations: (stationCount, (985_000_000, 3))
        case .storefronts: (Market.all.count, nil)
        default: (0, nil)
        }
    }

    /// How many there are of a type that is numbered from 0; 0 for the other types.
    func count(of type: SimulatedType) -> Int { numbering(type).count }

    /// The id in `id` and in paths.
    func id(of resource: Resource) -> String {
        let number = resource.number
        if let (base, stride) = numbering(resource.type).ids {
            let digits = String(base + number * stride)
            return resource.type == .stations ? "ra." + digits : digits
        }
        switch resource.type {
        case .genres: return Genre.all[number].id
        case .playlists: return playlistID(number)
        case .storefronts: return Market.all[number].code
        default: return String(number)
        }
    }

    /// The resource that an id of a type means, whether or not any storefront has it; nil for ids
    /// that never were.
    func resource(_ type: SimulatedType, id: String) -> Resource? {
        let number: Int?
        switch type {
        case .genres: number = Genre.all.firstIndex { $0.id == id }
        case .playlists: number = playlistNumber(id)
        case .storefronts: number = Market(code: id)?.index
        case .stations: number = id.hasPrefix("ra.") ? self.number(String(id.dropFirst(3)), type) : nil
        default: number = self.number(id, type)
        }
        let resource = number.map { Resource(type, $0) }
        return resource.flatMap { exists($0) ? $0 : nil }
    }

    private func number(_ id: String, _ type: SimulatedType) -> Int? {
        guard let (base, stride) = numbering(type).ids, id.utf8.count <= 12,
            id.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let value = Int(id), value >= base,
            (value - base) % stride == 0
        else { return nil }
        return (value - base) / stride
    }

    private func playlistID(_ number: Int) -> String {
        var text: [UInt8] = Array("pl.".utf8)
        text.appendHexadecimal(UInt64(UInt32(number) &* Self.playlistFactor), digits: 8)
        text.appendHexadecimal(SplitMix64.mixed(UInt64(number) &+ 1), digits: 16)
        text.appendHexadecimal(SplitMix64.mixed(UInt64(number) &+ 2) >> 32, digits: 8)
        return String(decoding: text, as: UTF8.self)
    }

    private func playlistNumber(_ id: String) -> Int? {
        let hexadecimal = id.dropFirst(3).prefix(8)
        guard id.hasPrefix("pl."), let scrambled = UInt32(hexadecimal, radix: 16) else { return nil }
        let number = Int(scrambled &* Self.inverse(Self.playlistFactor))
        return number < playlistCount && playlistID(number) == id ? number : nil
    }

    /// The inverse of an odd number modulo 2^32, by Newton's iteration.
    static func inverse(_ odd: UInt32) -> UInt32 {
        var guess = odd
        for _ in 0..<5 { guess = guess &* (2 &- odd &* guess) }
        return guess
    }
}
