/// Ways in which an origin may answer that other answers of it do not show: each is a world in
/// which a conclusion from one form to another, or from one answer to another, is wrong
/// (DECISIONS 9.21).
enum Peculiarity: String, CaseIterable, Sendable {
    /// An artist inside another resource carries `albums` only where ids are asked for.
    case nestedInBatches
    /// It carries them only where two ids or more are asked for.
    case nestedInPairs
    /// It carries them only in answers about songs.
    case nestedInSongs
    /// It carries them only where genres are included too.
    case nestedBesideGenres
    /// It carries them only in the storefront `us`.
    case nestedInOneStorefront
    /// It carries them only in answers without `l`.
    case nestedWithoutLanguage
    /// Lists inside the resources of a batch end after five items, with `next`.
    case shortListsInBatches
    /// With `include`, requested resources show genres by their ids too.
    case genresBesideIncludes
    /// In the storefront `us`, requested resources show genres by their ids too.
    case genresInOneStorefront
    /// Requested resources alone have `genreNames`.
    case attributesOfRequested
    /// A single requested resource alone has `genreNames`.
    case attributesOfOne
    /// Inside songs, resources have no `genreNames`.
    case attributesOutsideSongs
    /// An id with `77` before it is another name of the resource; in a batch a resource comes once.
    case aliases
    /// For some seconds after a revision, one answer in three is of the revision before.
    case laggingReplicas
    /// Every fourth answer is late, so that others overtake it.
    case lateAnswers
}

extension SimulatorConfiguration {
    func has(_ peculiarity: Peculiarity) -> Bool { peculiarities.contains(peculiarity) }

    /// How long replicas lag, in seconds.
    static let lag: Int64 = 5
}
