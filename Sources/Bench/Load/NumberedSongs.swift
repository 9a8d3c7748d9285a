/// The requests of all benchmarks: songs by number, of a size that the identifier names, so that
/// the origin needs no table and any two numbers are different keys.
struct NumberedSongs: Equatable {
    /// Of an answer's body.
    let bytes: Int

    static let digits = 7
    static let most = 10_000_000
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

    /// What wrk is given to ask for known songs at random, new ones in turn, or a mixture.
    func script(_ workspace: Workspace, known: Int, share: Double, firstNew: Int, seed: Int) throws -> [String] {
        [
            try workspace.write(Self.lua, to: "songs.lua"), "\(bytes)", "\(known)", "\(share)", "\(firstNew)",
            "\(seed)",
        ]
    }

    /// One request is two concatenations and a format: the client must not be what is measured.
    private static let lua = """
        local head, tail, known, share, new
        function init(args)
            known, share, new = tonumber(args[2]), tonumber(args[3]), tonumber(args[4])
            math.randomseed(tonumber(args[5]))
            local request = wrk.format("GET", "\(path)@")
            local at = request:find("@", 1, true)
            head, tail = request:sub(1, at - 1) .. args[1], request:sub(at + 1)
        end
        function request()
            local number
            if share == 1 or math.random() < share then
                number = math.random(0, known - 1)
            else
                number, new = new, new + 1
            end
            return head .. string.format("%0\(digits)d", number) .. tail
        end

        """
}
