// The errors of APPLE-MUSIC-API 8, word for word.

/// An error the simulated API answers with; `body` says which of its forms.
struct APIError: Error, Sendable, Equatable {
    enum Form: Sendable, Equatable {
        /// `{"errors":[...]}`.
        case object
        /// No bytes at all: 401 (APPLE-MUSIC-API 8.8).
        case empty
        /// The bare text of a 429.
        case text(String)
        /// The page of a 504.
        case page
    }

    var status: Int
    var code = ""
    var title = ""
    var detail = ""
    var parameter: String?
    var displayMessage: String?
    var form: Form = .object

    static func invalidParameter(_ parameter: String, _ detail: String) -> APIError {
        APIError(
            status: 400, code: "40005", title: "Invalid Parameter Value", detail: detail, parameter: parameter)
    }

    static func missingParameter(_ parameter: String) -> APIError {
        APIError(
            status: 400, code: "40003", title: "Missing Parameter",
            detail: "Missing required parameter '" + parameter + "'", parameter: parameter)
    }

    static let noIDs = invalidParameter("ids", "No id(s) supplied in the 'ids' query parameter")

    static func unknownType(_ name: String, parameter: String = "types") -> APIError {
        invalidParameter(parameter, "Unknown type '" + name + "'")
    }

    static let unknownLibraryType = APIError(
        status: 400, code: "40008", title: "Invalid Path Value", detail: "Unknown library resource type")

    static func unknownStorefront(_ code: String) -> APIError {
        APIError(
            status: 400, code: "40008", title: "Invalid Path Value", detail: "Unknown storefront '" + code + "'")
    }

    static func insufficientPrivileges(_ privilege: String) -> APIError {
        APIError(
            status: 400, code: "40015", title: "Insufficient Privileges",
            detail: "User's subscription tier does not have access to privilege: " + privilege,
            displayMessage: "Insufficient Privileges")
    }

    static func invalidBody(_ detail: String) -> APIError {
        APIError(status: 400, code: "40006", title: "Invalid Request Body", detail: detail)
    }

    static let unauthorized = APIError(status: 401, form: .empty)

    static let invalidUserToken = APIError(
        status: 403, code: "40300", title: "Forbidden", detail: "Invalid authentication")

    static let notFound = APIError(
        status: 404, code: "40400", title: "Resource Not Found", detail: "Resource with requested id was not found")

    static func noRelated(_ relation: String) -> APIError {
        APIError(
            status: 404, code: "40403", title: "No related resources",
            detail: "No related resources found for " + relation)
    }

    static let methodNotAllowed = APIError(
        status: 405, code: "40500", title: "Method Not Allowed", detail: "The method is not allowed for this resource")

    static let upstreamService = APIError(
        status: 500, code: "50001", title: "Upstream Service Error", detail: "Error fetching library content")

    static let unavailable = APIError(
        status: 503, code: "50300", title: "Service Unavailable", detail: "The service is temporarily unavailable")

    /// A recording has no content for this: an error of the simulator, not of the API.
    static let notRecorded = APIError(status: 501, code: "50100", title: "Not Recorded")

    static let capacity = APIError(status: 429, form: .text("API capacity exceeded"))

    static let gatewayTimeout = APIError(status: 504, form: .page)
}
