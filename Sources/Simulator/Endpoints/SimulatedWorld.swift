import Synchronization

/// State that all requests of a simulated API share: the catalog, the users' libraries, and the
/// search index. Used from any thread.
final class SimulatedWorld: Sendable {
    let configuration: SimulatorConfiguration
    /// The catalog at revision 0, which seeds users' libraries and the search index.
    let catalog: Catalog
    private let libraries = Mutex<[String: UserLibrary]>([:])
    private let index = Mutex<SearchIndex?>(nil)

    /// Users beyond this number are seeded again at each request, and lose their writes.
    private static let mostUsers = 4096

    init(_ configuration: SimulatorConfiguration) {
        self.configuration = configuration
        catalog = Catalog(
            seed: configuration.seed, artists: configuration.artists, playlists: configuration.playlists,
            traits: configuration.traits)
    }

    func library(of name: String) -> UserLibrary { change(name) { _ in } }

    /// Changes a user's library and gives it as it is afterwards.
    @discardableResult
    func change(_ name: String, _ change: (inout UserLibrary) -> Void) -> UserLibrary {
        libraries.withLock { libraries in
            var library = libraries[name] ?? UserLibrary(name: name, catalog)
            change(&library)
            if libraries[name] != nil || libraries.count < Self.mostUsers { libraries[name] = library }
            return library
        }
    }

    /// The names that search looks through, made at the first search from those of revision 0.
    func searchIndex() -> SearchIndex {
        index.withLock { index in
            let made = index ?? SearchIndex(catalog)
            index = made
            return made
        }
    }
}
