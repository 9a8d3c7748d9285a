import AppleMusic

extension Configuration {
    /// The source of developer tokens that is configured; nil where there is none. Reads the file
    /// or the key now.
    /// - Parameter unixSeconds: the time now, for the first signature.
    func developerTokens(at unixSeconds: Int64) throws(CommandFailure) -> DeveloperTokens? {
        let name = developerTokenFile == nil ? "developer_key_file" : "developer_token_file"
        return try attempt(name, or: CommandFailure.badSetting) {
            if let path = developerTokenFile { return try DeveloperTokens(tokenFile: path) }
            guard let path = developerKeyFile, let keyID = developerKeyID, let teamID = developerTeamID else {
                return nil
            }
            let key = try SigningKey(pem: SecretFile.read(path, sizes: SecretFile.keySizes))
            let signer = try DeveloperTokenSigner(
                key: key, keyID: keyID, teamID: teamID, lifetime: Int(developerTokenLifetime.components.seconds))
            return try DeveloperTokens(signer: signer, at: unixSeconds)
        }
    }
}
