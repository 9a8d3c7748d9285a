/// The requests of all benchmarks: songs by number, of a size that the identifier names, so that
/// the origin needs no table and any two numbers are different keys.
struct NumberedSongs: Hashable {
    let bytes: Int

    static let digits = 7
    static let most = 10_000_000
    /// Where songs are asked for one by one alone: simultaneous misses cannot be asked for together
    /// there, so that a miss is a request to the origin for every server.
    static let path = "/v1/catalog/us/songs/"

    func target(_ number: Int) -> String { Self.path + identifier(number) }

    func identifier(_ number: Int) -> String {
        let text = String(number)
        return "\(bytes)" + String(repeating: "0", count: Self.digits - text.count) + text
    }

    /// The size that an identifier asks for; nil where it is none of these.
    static func bytes(of identifier: String) -> Int? {
        guard identifier.count > digits, identifier.allSatisfy({ $0.isASCII && $0.isNumber }) else { return nil }
        return Int(identifier.dropLast(digits))
    }

    /// Arguments for wrk: known songs at random, or new ones in turn.
    /// - Parameters:
    ///   - known: 0 for new ones.
    ///   - first: the first new one, or the seed of random ones.
    func script(_ workspace: Workspace, known: Int = 0, first: Int) throws -> [String] {
        [try workspace.write(Self.lua, to: "songs.lua"), "\(bytes)", "\(known)", "\(first)"]
    }

    /// One request is two concatenations and a format: the client's own cost must not be measured.
    private static let lua = """
        local head, tail, known, new
        function init(args)
            known, new = tonumber(args[2]), tonumber(args[3])
            math.randomseed(new)
            local request = wrk.format("GET", "\(path)@")
            local at = request:find("@", 1, true)
            head, tail = request:sub(1, at - 1) .. args[1], request:sub(at + 1)
        end
        function request()
            local number
            if known > 0 then
                number = math.random(0, known - 1)
            else
                number, new = new, new + 1
            end
            return head .. string.format("%0\(digits)d", number) .. tail
        end

        """
}
