import Server
import Testing

@testable import refrain

/// How many clients fit, and which limit refuses first.
@Suite struct ClientRoomTests {
    private func room(_ descriptors: Int, loops: Int = 2, perAddress: Int? = 2048) -> ClientRoom {
        ClientRoom(descriptors: descriptors, upstreamConnections: 64, loops: loops, setPerAddress: perAddress)
    }

    /// With few descriptors clients have a quarter, else all but those of other uses.
    @Test(arguments: [(256, 64), (512, 128), (1024, 640), (65536, 40_000)])
    func descriptorsAndLoopsBoundAll(descriptors: Int, expected: Int) {
        #expect(room(descriptors).all == expected)
    }

    @Test func oneAddressHasItsSettingAndNeverMoreThanHalf() {
        #expect(room(65536).perAddress == 2048 && room(1024).perAddress == 320)
        #expect(room(1024, perAddress: nil).perAddress == 320 && room(1024, perAddress: 5).perAddress == 5)
        #expect(room(.max, perAddress: nil).perAddress == 20_000 && room(.max).all == 40_000)
    }

    @Test func checkSaysWhatRefusesFirst() {
        #expect(
            room(1024).text() == """
                # clients at once: 640 (descriptors: 1024, less 64 for upstream_connections and 320 for other uses)
                # clients at once of one address: 320 (half of all)
                # refuses first: half of all for one address; descriptors for 2 addresses or more

                """)
        #expect(
            room(256, perAddress: 5).text() == """
                # clients at once: 64 (descriptors: a quarter of 256)
                # clients at once of one address: 5 (connections_per_address)
                # refuses first: connections_per_address for one address; descriptors for 13 addresses or more

                """)
        #expect(room(65536).text().contains("40000 (loops: 20000 for each of 2)"))
    }

    @Test func refusalsNameDirectiveAndValue() {
        #expect(room(1024, perAddress: 5).names[.address] == "connections_per_address 5")
        #expect(room(1024).names[.address] == "320 connections of one address, half of all clients'")
        #expect(room(1024).names[.descriptors].contains("1024 descriptors (LimitNOFILE=)") == true)
        // The line named the descriptors where more of them change nothing.
        #expect(
            room(65536).names[.descriptors] == "40000 connections of all clients, 20000 for each of 2 loops (workers)")
        #expect(room(1024).names[.accept] == "1024 descriptors (LimitNOFILE=)")
    }
}
