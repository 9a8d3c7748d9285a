import Testing

@testable import Admin

@Suite struct QueryParametersTests {
    private func value(_ query: String?) throws -> String? { try QueryParameters(query, known: ["a", "url"])["a"] }

    @Test(arguments: [
        ("a=b", "b"), ("a=%2Fv1%3Fb%3D1%26c", "/v1?b=1&c"), ("a=x+y", "x+y"), ("url=1&a=", ""), ("a=b=c", "b=c"),
        ("&a=1&&", "1"), ("%61=%C3%a4", "ä"),
    ]) func isDecoded(_ query: String, _ expected: String) throws {
        #expect(try value(query) == expected)
    }

    @Test func absentParametersAreNil() throws {
        #expect(try value(nil) == nil && value("") == nil && value("url=1") == nil)
    }

    @Test(arguments: ["a", "a=%", "a=%2", "a=%zz", "a=%FF", "a=1&a=1", "b=1", "=1", "A=1", "a%00=1"])
    func malformedUnknownAndRepeatedParametersAreRefused(_ query: String) {
        #expect(throws: AdminRequestError.self) { try value(query) }
    }

    @Test func aFormHasBlanksForPlusSigns() throws {
        #expect(try QueryParameters(form: Array("a=x+y%2Bz".utf8), known: ["a"])["a"] == "x y+z")
        #expect(throws: AdminRequestError.self) { try QueryParameters(form: [0x61, 0x3D, 0xFF], known: ["a"]) }
    }

    @Test func numbersAndFlagsAreHeldToTheirRange() throws {
        func number(_ text: String) throws -> Int {
            try QueryParameters("a=" + text, known: ["a"]).number("a", in: 1...9, standard: 5)
        }
        #expect(try number("1") == 1 && number("9") == 9)
        #expect(try QueryParameters(nil, known: ["a"]).number("a", in: 1...9, standard: 5) == 5)
        for wrong in ["0", "10", "-1", "%2B1", "", "99999999999999999999", "1.0"] {
            #expect(throws: AdminRequestError.self, "\(wrong)") { try number(wrong) }
        }
        func flag(_ query: String?) throws -> Bool { try QueryParameters(query, known: ["a"]).flag("a") }
        #expect(try flag("a=1") && flag("a=true") && !flag("a=0") && !flag("a=false") && !flag(nil))
        #expect(throws: AdminRequestError.self) { try flag("a=yes") }
    }
}
