extension EffectiveConfiguration {
    /// One directive a line, each with ` # default` or ` # file:line`. It is itself a configuration
    /// of the same meaning; directives that are unset stand in comments.
    func text() -> String {
        var text = ""
        for directive in Directive.table where directive.name != Directive.include {
            let mine = lines.filter { $0.directive.name == directive.name }
            if mine.isEmpty { text += "# \(directive.name) \(directive.arguments) # unset\n" }
            for line in mine { text += "\(line.spelling) # \(line.place?.description ?? "default")\n" }
        }
        return text
    }
}

extension SettingLine {
    /// As it would be written.
    var spelling: String {
        ([directive.name] + words.map(ConfigurationLexer.spelling)).joined(separator: " ")
    }
}
