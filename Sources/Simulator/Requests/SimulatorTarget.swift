import Text

// The request target taken apart: path elements and decoded query parameters.

/// A parameter of a query, decoded: `filter%5Bisrc%5D=a+b` has the name `filter[isrc]` and the
/// value `a b`.
struct TargetParameter: Equatable, Sendable {
    let name: String
    let value: String
}

/// Path elements and parameters of a target; a broken escape stays as it is.
struct SimulatorTarget: Sendable {
    let elements: [String]
    let parameters: [TargetParameter]

    init(_ target: [UInt8]) {
        let mark = target.firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex
        elements = target[..<mark].split(separator: UInt8(ascii: "/")).map { Self.decode($0, plusIsSpace: false) }
        guard mark < target.endIndex else {
            parameters = []
            return
        }
        parameters = target[(mark + 1)...].split(separator: UInt8(ascii: "&")).map { pair in
            let equals = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            let value = equals < pair.endIndex ? pair[(equals + 1)...] : []
            return TargetParameter(
                name: Self.decode(pair[..<equals], plusIsSpace: true), value: Self.decode(value, plusIsSpace: true))
        }
    }

    func first(_ name: String) -> String? { parameters.first { $0.name == name }?.value }

    /// The comma-separated elements of all parameters of that name, in order, without duplicates
    /// and empty ones (APPLE-MUSIC-API 4.3.16: `ids=1&ids=2` is accepted, duplicates are removed).
    /// Nil when the parameter is not there at all.
    func list(_ name: String) -> [String]? {
        var seen: Set<String> = []
        var list: [String]?
        for parameter in parameters where parameter.name == name {
            list = list ?? []
            for element in parameter.value.split(separator: ",") {
                let text = String(element)
                if seen.insert(text).inserted { list?.append(text) }
            }
        }
        return list
    }

    static func decode(_ bytes: ArraySlice<UInt8>, plusIsSpace: Bool) -> String {
        guard bytes.contains(where: { $0 == 0x25 || $0 == 0x2B }) else { return String(decoding: bytes, as: UTF8.self) }
        return String(decoding: PercentEncoding.decoded(bytes, plusIsSpace: plusIsSpace).bytes, as: UTF8.self)
    }
}

extension [UInt8] {
    /// A query value in Apple's spelling: `+` for spaces, `%3D` for `=`, commas and letters bare
    /// (APPLE-MUSIC-API 4.3.14, 7.4).
    mutating func appendQueryValue(_ text: String) {
        for byte in text.utf8 {
            switch byte {
            case 0x20: append(0x2B)
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2C, 0x2D, 0x2E, 0x5F, 0x2A: append(byte)
            default: appendPercentEncoded(byte)
            }
        }
    }

    /// Appends a path, and each of the parameters that has a value.
    mutating func appendLink(_ path: String, _ parameters: KeyValuePairs<String, String?>) {
        append(text: path)
        let start = count
        for (name, value) in parameters {
            guard let value else { continue }
            append(text: "&" + name + "=")
            appendQueryValue(value)
        }
        if count > start { self[start] = UInt8(ascii: "?") }
    }
}
