import TestSupport
import Testing

@testable import Proxy

@Suite struct NamedUserTests {
    private func named(_ fields: String...) throws -> String? {
        let request = try ParsedRequest(fields: fields.map { Array($0.utf8) })
        return switch NamedUser(of: request.head, request.bytes.span) {
        case .nobody: nil
        case .one(let place, _): String(decoding: NamedUser.token(at: place, in: request.bytes.span), as: UTF8.self)
        case .several: "several"
        }
    }

    @Test(arguments: [
        "Music-User-Token: anna", "media-user-token: anna", "Cookie: media-user-token=anna",
        "Cookie: a=b; media-user-token=anna; c=d", "cookie: a=b;Media-User-Token = anna ",
        "Cookie: media-user-token=%61nna", "Cookie: media-user-token=\"anna\"",
    ])
    func aTokenNamesAUserInEachOfItsForms(field: String) throws {
        #expect(try named(field) == "anna")
        #expect(try named(field, "Music-User-Token: anna", "Media-User-Token: anna") == "anna", "the same thrice")
        for other in ["Music-User-Token: ben", "media-user-token: ben", "Cookie: x=y; media-user-token=ben"] {
            #expect(try named(field, other) == "several" && named(other, field) == "several")
            #expect(try named(field, other, field) == "several")
        }
    }

    @Test(arguments: [
        "Music-User-Token:", "media-user-token: ", "Cookie: media-user-token=", "Cookie: media-user-token",
        "Cookie: media-user-tokens=anna; x-media-user-token=anna; a=media-user-token=anna", "Cookie:",
        "X-Music-User-Token: anna", "Cookie: media-user-token=\"\"",
    ])
    func aFieldWithoutATokenNamesNoUser(field: String) throws {
        #expect(try named(field) == nil)
        #expect(try named(field, "media-user-token: anna") == "anna")
    }
}
