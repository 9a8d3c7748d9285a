import Foundation

/// How long tests wait for what must come, before they say that it does not.
///
/// Such a wait ends when it comes, so a long one costs nothing where all is well, and a short one
/// fails where only the machine is busy.
public enum Patience {
    /// Whether a sanitizer instruments this build, which makes it several times slower.
    public static let isSanitized = ["__asan_init", "__tsan_init"].contains { (name: String) in
        dlsym(nil, name) != nil
    }

    /// How much longer than `usual` seconds it may take here.
    public static func seconds(_ usual: Int) -> Int { isSanitized ? 8 * usual : usual }
}
