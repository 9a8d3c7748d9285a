/// Why an answer was not compared; the raw value is the word in results.
enum Uncompared: String, Error {
    /// There is nothing that it could differ from.
    case noAnswer = "no recorded answer"
    case noContent = "content not recorded"
    case unreadableCoding = "content coding that cannot be read"
    case unreadable = "content that cannot be read"
    case tooMany = "too many at once"
}
