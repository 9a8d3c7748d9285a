extension EffectiveConfiguration {
    /// Puts the settings to use; failures get the place of the line that they are about.
    func placingFailures<Value>(_ use: () throws(CommandFailure) -> Value) throws(CommandFailure) -> Value {
        do throws(CommandFailure) {
            return try use()
        } catch {
            throw placed(error)
        }
    }

    private func placed(_ failure: CommandFailure) -> CommandFailure {
        switch failure {
        case .failed(let message): .failed(ConfigurationError(place: place(of: message), message: message).description)
        case .usage: failure
        case .configuration(let errors):
            .configuration(
                errors.map { ConfigurationError(place: $0.place ?? place(of: $0.message), message: $0.message) })
        }
    }

    /// The line of the directive that a message begins with; nil where it has none, or several.
    private func place(of message: String) -> SourceLine? {
        let named = lines.filter { message.hasPrefix($0.directive.name + ": ") }
        return named.count == 1 ? named[0].place : nil
    }
}
