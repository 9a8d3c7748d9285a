// How resources look in peculiar worlds (`Peculiarity`).

extension RenderContext {
    /// Whether an artist inside another resource carries its albums here.
    var nestsAlbumsHere: Bool {
        configuration.peculiarities.allSatisfy { peculiarity in
            switch peculiarity {
            case .nestedInBatches: asking.ids > 0
            case .nestedInPairs: asking.ids > 1
            case .nestedInSongs: asking.type == .songs
            case .nestedBesideGenres: decorations.include().contains(.genres)
            case .nestedInOneStorefront: market.code == "us"
            case .nestedWithoutLanguage: !asking.hasLanguage
            default: true
            }
        }
    }

    /// Whether requested resources show genres that nothing asks for.
    var showsGenresHere: Bool {
        configuration.has(.genresBesideIncludes) && !decorations.include().isEmpty
            || configuration.has(.genresInOneStorefront) && market.code == "us"
    }

    /// The attribute that resources lack at a place.
    func lackedAttribute(_ place: RenderPosition) -> Attribute? {
        var (isRequested, isInside) = (false, false)
        switch place {
        case .primary: isRequested = true
        case .included: isInside = true
        case .item: break
        }
        let lacks =
            configuration.has(.attributesOfRequested) && !isRequested
            || configuration.has(.attributesOfOne) && !(isRequested && isSingleFetch)
            || configuration.has(.attributesOutsideSongs) && isInside && asking.type == .songs
        return lacks ? .genreNames : nil
    }
}
