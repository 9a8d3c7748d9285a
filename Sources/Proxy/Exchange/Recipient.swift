import Server
import Upstream

/// The recipient of an exchange's answer.
enum Recipient {
    case client(ClientConnection)
    /// A part of an answer, or a batch, for all these parties.
    case part(UpstreamParty, Set<UpstreamParty>, (PartEnd) -> Void)
    /// A refresh, for the client to which a stale answer was served.
    case refresh(Flights.FlightID, UpstreamParty)
    /// A verification in the background; nil where the answer cannot be compared.
    case witness((ComparedAnswer?) -> Void)
}
