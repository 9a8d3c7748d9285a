import EventLoop
import HTTP

extension AdminClient {
    /// Why following has ended.
    enum Ending {
        /// The proxy cannot be reached, has no room, or has ended the stream, as it does when it
        /// stops.
        case lost(CommandFailure)
        /// The proxy does not want to be followed.
        case refused(CommandFailure)
    }

    /// The proxy gives a sign of life each five seconds.
    private static let longestSilence = Duration.seconds(20)

    /// Follows the server-sent events at `path` until they end.
    /// - Parameters:
    ///   - begun: called once the proxy has begun to send.
    ///   - take: called with each event.
    func follow(
        _ path: String, _ parameters: [(String, String)], begun: () -> Void, _ take: (EventReader.Event) -> Void
    ) -> Ending {
        do throws(BlockingConnection.Failure) {
            var connection = try open(Self.target(path, parameters))
            connection.timeout = Self.longestSilence
            var answer = AnswerReader(limits: Self.endless)
            answer.begin(keepsContent: true)
            var events = EventReader()
            var (isWhole, hasBegun) = (false, false)
            while !isWhole {
                isWhole = try Self.take(try connection.receive(), &answer)
                guard answer.hasHead else { continue }
                guard answer.status == 200 else {
                    guard isWhole else { continue }
                    let failure = refusal(answer, of: path) ?? .failed("\(server): no answer")
                    // Too many streams, or a proxy that stops: it will go on.
                    return answer.status == 503 ? .lost(failure) : .refused(failure)
                }
                if !hasBegun { begun() }
                hasBegun = true
                guard let found = events.take(answer.removeContent()) else {
                    return .refused(.failed("\(server)\(path): the answer is no stream of events"))
                }
                found.forEach(take)
            }
            return .lost(.failed("\(server): the proxy has ended the stream"))
        } catch {
            return .lost(unreachable(error))
        }
    }

    /// A stream has no end of its own.
    private static let endless: MessageLimits = {
        var limits = MessageLimits.response
        limits.maxBodyBytes = .max
        return limits
    }()
}
