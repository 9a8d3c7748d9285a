import AppleMusic

extension TokenClaims {
    /// Whether `exp` has passed.
    func isExpired(at unixSeconds: Int64) -> Bool { expires.map { $0 <= unixSeconds } ?? false }
}

extension Configuration {
    /// The warnings that `serve` gives at the start and at a reload, and `check` shows.
    /// - Parameters:
    ///   - unixSeconds: the time now.
    ///   - certificates: where their files have been read.
    ///   - place: where a file of the configuration is read, if not by its path.
    func warnings(
        at unixSeconds: Int64, _ certificates: [Expiry]? = nil, readAt place: (_ path: String) -> String = { $0 }
    ) -> [String] {
        warnings + tokenWarnings(at: unixSeconds, readAt: place)
            + (certificates ?? certificateExpiries(readAt: place)).compactMap { $0.warning(at: unixSeconds) }
    }

    /// Why the origin will refuse the token that a file holds: one that is signed here is right.
    private func tokenWarnings(at unixSeconds: Int64, readAt place: (_ path: String) -> String) -> [String] {
        guard let path = developerTokenFile, let token = try? SecretFile.readToken(place(path)) else { return [] }
        guard let claims = try? TokenClaims(token: token) else {
            return ["developer_token_file: not a JSON Web Token; the origin will refuse it"]
        }
        var words: [String] = []
        if claims.algorithm != "ES256" {
            words.append("developer_token_file: not signed with ES256; the origin will refuse it")
        }
        if let warning = Expiry(developerToken: claims).warning(at: unixSeconds) { words.append(warning) }
        if claims.expires == nil {
            words.append("developer_token_file: has no expiry (exp); the origin will refuse it")
        }
        return words
    }

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
