import Testing

@testable import refrain

@Suite struct NodesCommandTests {
    private let body = """
        {"standing":"ready","words":"ready","namesake":null,"alive":2,"nodes":[\
        {"name":"a","address":"127.0.0.1:8080","version":"1.0","state":"ready","ready":true,"alive":true,"lag":0,"last_seen":0,"self":true},\
        {"name":"b","address":"127.0.0.2:8080","version":"1.1","state":"catching up","ready":false,"alive":true,"lag":3,"last_seen":1,"self":false},\
        {"name":"c","address":"c","version":"1.0","state":"missing","ready":true,"alive":false,"lag":null,"last_seen":100,"self":false}]}
        """

    @Test func eachHasALine() {
        let (result, request) = runAgainstServer("nodes", body, [])
        #expect(result.status == 0 && result.error.isEmpty)
        #expect(
            result.standard == """
                name          state        lag   last seen  version  address
                a (this one)  ready          0         now  1.0      127.0.0.1:8080
                b             catching up    3      1s ago  1.1      127.0.0.2:8080
                c             missing        -  1m 40s ago  1.0      c

                """)
        #expect(request.hasPrefix("GET /nodes HTTP/1.1\r\n"))
    }

    /// Nodes looked as they had when the engine was heard of last, and this one as though it caught
    /// up.
    @Test func anEngineThatIsAwayAndANamesakeAreSaid() {
        let body = """
            {"standing":"engine-away","words":"engine away since 2026-01-01T00:00:00Z","namesake":"process 2 at a:1",\
            "alive":1,"nodes":[{"name":"a","state":"engine away","self":true},{"name":"b","state":"unknown","last_seen":9}]}
            """
        let result = runAgainstServer("nodes", body, []).result
        #expect(result.status == 0 && result.standard.contains("engine away") && result.standard.contains("unknown"))
        #expect(
            result.error == """
                refrain: engine away since 2026-01-01T00:00:00Z: the rows of other nodes are as old as that
                refrain: process 2 at a:1 uses this node name too: give each node its own name (node_name)

                """)
    }

    @Test func programsGetWhatTheProxySays() {
        #expect(runAgainstServer("nodes", body, ["--json"]).result.standard == body + "\n")
    }

    @Test func withoutATierTheProxysErrorIsShown() {
        let refusal = #"{"errors":[{"detail":"`shared_tier` is not configured."}]}"#
        for words in [[], ["--json"]] {
            let result = runAgainstServer("nodes", refusal, words, status: "404 Not Found").result
            #expect(result.status == 1 && result.standard.isEmpty)
            #expect(result.error.hasSuffix("/nodes: status 404: `shared_tier` is not configured.\n"))
        }
        #expect(runAgainstServer("nodes", "{}", []).result.status == 1)
    }
}
