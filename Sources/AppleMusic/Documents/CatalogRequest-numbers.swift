// The numbers under which resources and collections are found again.
//
// What must hold: they are the same in every process, and whoever chooses parameters cannot choose
// numbers. Language and decoration are text of the client's making, and FNV-1a would let anybody
// find a decoration whose number is that of none, to put decorated resources before everybody: so
// they go through SHA-256.

import COpenSSL
import Text

extension CatalogRequest {
    /// The number under which a resource is kept: the same for equal resources under equal
    /// circumstances.
    ///
    /// It has 64 bits and is not proof that a resource is the one: a reader compares type and id
    /// too.
    /// - Parameter number: of its type and id (``ResourceMention``).
    public func indexNumber(ofResource number: UInt64) -> UInt64 {
        SplitMix64.mixed(number &+ SplitMix64.mixed(resourceContext))
    }

    /// The digest costs ten times what the rest of the request does, and most requests have nothing
    /// to digest.
    static func context(_ storefront: Storefront, language: [UInt8], decoration: [UInt8]) -> UInt64 {
        guard !language.isEmpty || !decoration.isEmpty else {
            return UInt64(storefront.first) << 8 | UInt64(storefront.second)
        }
        // No part holds the separator: they are visible ASCII.
        return digest([storefront.first, storefront.second, 0] + language + [0] + decoration)
    }

    /// The first eight bytes of SHA-256.
    private static func digest(_ text: [UInt8]) -> UInt64 {
        var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
        guard SHA256(text, text.count, &digest) != nil else { preconditionFailure("libcrypto has no SHA-256") }
        return digest[..<8].reduce(0) { $0 << 8 | UInt64($1) }
    }
}

extension ResourceName {
    /// The number of the resource (``ResourceMention``).
    public var number: UInt64 {
        var hash = FNV1a()
        for byte in type.name.utf8 { hash.combine(byte) }
        hash.combine(ResourceMention.separator)
        for byte in id { hash.combine(byte) }
        return ResourceMention.number(hash)
    }
}
