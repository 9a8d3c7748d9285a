import AppleMusic

extension TokenClaims {
    /// Whether `exp` has passed.
    func isExpired(at unixSeconds: Int64) -> Bool { expires.map { $0 <= unixSeconds } ?? false }
}

extension Configuration {
    /// All that `serve` warns of at the start and at a reload, and `check` shows.
    /// - Parameter unixSeconds: the time now.
    func warnings(at unixSeconds: Int64) -> [String] {
        warnings + tokenWarnings(at: unixSeconds) + certificateWarnings(at: unixSeconds)
    }

    /// Why the origin will refuse the token that a file holds: one that is signed here is right.
    private func tokenWarnings(at unixSeconds: Int64) -> [String] {
        guard let path = developerTokenFile, let token = try? SecretFile.readToken(path) else { return [] }
        guard let claims = try? TokenClaims(token: token) else {
            return ["developer_token_file: not a JSON Web Token; the origin will refuse it"]
        }
        var words: [String] = []
        if claims.algorithm != "ES256" { words.append("not signed by ES256; the origin will refuse it") }
        let time = ValidTime(begins: claims.issuedAt, ends: claims.expires ?? .max)
        words += time.warning(at: unixSeconds, "the origin refuses it").map { [$0] } ?? []
        if claims.expires == nil { words.append("says no end (exp); the origin will refuse it") }
        return words.map { "developer_token_file: " + $0 }
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
