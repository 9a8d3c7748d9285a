import Purging
import Testing

@Suite struct PurgeListTests {
}
