import Server
import Upstream

extension Exchange {
    /// For whom it is made.
    enum Audience {
        case client(ClientConnection)
        case part(UpstreamParty, (PartEnd) -> Void)
        case refresh(Flights.FlightID)
        /// A verification, in the background; nil: no answer that could be compared.
        case witness((ComparedAnswer?) -> Void)
    }
}
