import Text

// Ids: numeric strings like Apple's, from which the number can be read back. They depend on the
// position alone, never on the seed, so that a URL in a document stays good.

extension Catalog {
    private static let albumBase = 1_400_000_000
    private static let artistBase = 284_000_000
    private static let artistStride = 613
    private static let videoBase = 1_510_000_000
    private static let stationBase = 985_000_000
    private static let playlistFactor: UInt32 = 0x9E37_79B1

    /// The id as it stands in `id` and in paths.
    func id(of resource: Resource) -> String {
        let number = resource.number
        switch resource.type {
        case .albums: return String(Self.albumBase + number * Self.songSpan)
        case .songs: return String(Self.albumBase + number)
        case .artists: return String(Self.artistBase + number * Self.artistStride)
        case .musicVideos: return String(Self.videoBase + number * 7)
        case .activities: return String(976_439_000 + number)
        case .appleCurators: return String(976_439_500 + number)
        case .curators: return String(1_107_687_000 + number)
        case .recordLabels: return String(1_543_990_000 + number)
        case .stations: return "ra." + String(Self.stationBase + number * 3)
        case .stationGenres: return String(1_149_486_000 + number)
        case .genres: return Genre.all[number].id
        case .playlists: return playlistID(number)
        case .storefronts: return Market.all[number].code
        default: return String(number)
        }
    }

    /// The resource an id of a type stands for, whether or not any storefront has it; nil for ids
    /// that never were.
    func resource(_ type: SimulatedType, id: String) -> Resource? {
        let resource: Resource?
        switch type {
        case .albums: resource = number(id, from: Self.albumBase, stride: Self.songSpan).map { Resource(type, $0) }
        case .songs: resource = number(id, from: Self.albumBase, stride: 1).map { Resource(type, $0) }
        case .artists:
            resource = number(id, from: Self.artistBase, stride: Self.artistStride).map { Resource(type, $0) }
        case .musicVideos: resource = number(id, from: Self.videoBase, stride: 7).map { Resource(type, $0) }
        case .activities: resource = number(id, from: 976_439_000, stride: 1).map { Resource(type, $0) }
        case .appleCurators: resource = number(id, from: 976_439_500, stride: 1).map { Resource(type, $0) }
        case .curators: resource = number(id, from: 1_107_687_000, stride: 1).map { Resource(type, $0) }
        case .recordLabels: resource = number(id, from: 1_543_990_000, stride: 1).map { Resource(type, $0) }
        case .stationGenres: resource = number(id, from: 1_149_486_000, stride: 1).map { Resource(type, $0) }
        case .stations:
            guard id.hasPrefix("ra.") else { return nil }
            resource = number(String(id.dropFirst(3)), from: Self.stationBase, stride: 3).map { Resource(type, $0) }
        case .genres: resource = Genre.all.firstIndex { $0.id == id }.map { Resource(type, $0) }
        case .playlists: resource = playlistNumber(id).map { Resource(type, $0) }
        case .storefronts: resource = Market(code: id).map { Resource(type, $0.index) }
        default: resource = nil
        }
        guard let resource, exists(resource) else { return nil }
        return resource
    }

    private func number(_ id: String, from base: Int, stride: Int) -> Int? {
        guard id.utf8.count <= 12, id.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let value = Int(id), value >= base,
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
