/// Text on its way into HTML and SVG.
public enum Markup {
    /// The text as content, and as the value of an attribute in quotation marks of either kind. By
    /// scalars: a character of several may hold a bracket.
    public static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }
}
