import AppleMusic
import Text
import Tier

// Makes the settings of `Tier` from the directives of the shared tier.

extension Configuration {
    /// Name of this node among those that share the tier.
    var nodeName: String { writtenNodeName ?? NodeName.ofHost }

    /// The settings of the shared tier; nil where there is none. Reads the file of credentials now.
    func tierSettings() throws(CommandFailure) -> TierSettings? {
        guard let sharedTier else { return nil }
        var settings = TierSettings(
            endpoints: sharedTier.engines, nodeName: nodeName, keyPrefix: keyPrefix)
        settings.timeout = sharedTierTimeout
        settings.trustAnchorsFile = sharedTierCAFile
        if let sharedTierAuthFile {
            let credentials = try attempt("shared_tier_auth_file", or: CommandFailure.badSetting) {
                try TierCredentials(SecretFile.read(sharedTierAuthFile))
            }
            settings.user = credentials.user?.withUnsafeBytes { Array($0) }
            settings.password = credentials.password.withUnsafeBytes { Array($0) }
        }
        return settings
    }

    /// A comment after the settings.
    var tierText: String {
        guard let sharedTier else { return "# shared tier: off\n" }
        return "# shared tier: \(sharedTier), keys \(keyPrefix)*; this node is \(nodeName)\n"
    }

    /// The shared tier for programs; null where there is none.
    var tierJSON: JSON {
        guard let sharedTier else { return .null }
        return [
            "url": .string("\(sharedTier)"), "keys": .string(keyPrefix), "node": .string(nodeName),
        ]
    }

    /// Prefix of the keys as `TierKeys` has it: a colon that ends the name is the one after it.
    private var keyPrefix: String { sharedTierName.hasSuffix(":") ? sharedTierName : sharedTierName + ":" }
}
