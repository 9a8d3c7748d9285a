import HTTP
import TestSupport

/// Why a request with this head is refused, by parsing or by its framing; nil when it is not.
func refusal(_ text: String) -> ParseError? {
    thrown { () throws(ParseError) in try ParsedRequest(text).framing() }
}
