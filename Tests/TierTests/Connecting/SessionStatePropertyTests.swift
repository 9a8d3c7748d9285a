import EventLoop
import TestSupport
import Testing

@testable import Tier

/// Random events; an engine that answers `GET n` with `n` and may be slow, cut, break or lie.
@Suite struct SessionStatePropertyTests {
    private struct World {
        var script: SessionScript
        /// Handed over and not ended.
        var pending: [SessionState.PipelineID: Int] = [:]
        var sent: Set<Int> = []
        var isDialling = false
        var isOpen = false
        var isGreeted = false
        /// Bytes that the engine has yet to send on this connection.
        var unsaid: [UInt8] = []
        var hasLied = false

        mutating func perform(_ actions: [SessionState.Action]) {
            for action in actions {
                switch action {
                case .dial:
                    #expect(!isDialling && !isOpen)
                    isDialling = true
                case .send(let bytes): take(bytes)
                case .close:
                    #expect(isDialling || isOpen)
                    (isDialling, isOpen) = (false, false)
                case .complete(let id, let replies):
                    let number = pending.removeValue(forKey: id)
                    #expect(number != nil)
                    // After a lie replies may be wrong, but never too many.
                    if !hasLied, id != .probe, let number { #expect(replies == [.bulk("\(number)")]) }
                    #expect(replies.count == 1)
                case .fail(let id): #expect(pending.removeValue(forKey: id) != nil)
                case .report, .refused: break
                }
            }
        }

        private mutating func take(_ bytes: [UInt8]) {
            #expect(isOpen)
            if SessionScript.Action.send(bytes) == SessionScript.greeting {
                unsaid += SessionScript.master.utf8
                return
            }
            #expect(isGreeted, "sent before the engine has said that it is a master")
            if SessionScript.Action.send(bytes) == SessionScript.wire(RESPCommand("ROLE")) {
                unsaid += SessionScript.masterRole.utf8
                pending[.probe] = -1
                return
            }
            let words = ReadReplies(bytes).replies[0].elements?.compactMap(\.bytes) ?? []
            let number = Int(String(decoding: words[1], as: UTF8.self)) ?? -1
            #expect(sent.insert(number).inserted, "sent twice")
            unsaid += RESPReply.bulk("\(number)").wire
        }

        func check() {
            let status = script.state.status
            #expect(status.waiting == pending.count)
            #expect(pending.isEmpty || script.state.wakeAt != nil, "a pipeline without a deadline")
            #expect(status.isConnected == (isOpen && isGreeted))
        }
    }

    @Test(arguments: 0..<TestSize.of(12, full: 40)) func promisesHoldForAnyEvents(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var world = World(script: SessionScript([SessionScript.a, SessionScript.b]))
        world.perform(world.script.start())
        for step in 0..<400 {
            event(step, &world, &random)
            world.check()
        }
        for _ in 0..<1_000 where !world.pending.isEmpty {
            guard let wakeAt = world.script.state.wakeAt else { break }
            world.script.now = max(world.script.now, wakeAt)
            world.perform(world.script.state.tick(now: world.script.now))
        }
        #expect(world.pending.isEmpty, "seed \(seed)")
        #expect(world.script.state.status.waitingBytes == 0, "seed \(seed)")
    }

    private func event(_ step: Int, _ world: inout World, _ random: inout SeededGenerator) {
        let now = world.script.now
        switch Int.random(in: 0..<20, using: &random) {
        case 0...5:
            world.pending[SessionScript.id(step)] = step
            let timeout = Duration.milliseconds(Int.random(in: 1...400, using: &random))
            world.perform(world.script.ask(step, timeout: timeout))
        case 6, 7:
            guard world.isDialling else { return }
            world.isDialling = false
            guard Int.random(in: 0..<3, using: &random) > 0 else { return world.perform(world.script.refuse()) }
            (world.isOpen, world.isGreeted, world.unsaid, world.hasLied) = (true, false, [], false)
            world.perform(world.script.state.opened(now: now))
        case 8...14: speak(&world, &random)
        case 15:
            guard world.isOpen, Int.random(in: 0..<4, using: &random) == 0 else { return }
            world.isOpen = false
            world.perform(world.script.lose())
        case 16:
            guard world.isOpen, Int.random(in: 0..<4, using: &random) == 0 else { return }
            world.hasLied = true
            world.unsaid += RESPReply.bulk("lie").wire
        default:
            let most = Int.random(in: 0..<10, using: &random) == 0 ? 3000 : 30
            world.script.now = now + .milliseconds(Int.random(in: 1...most, using: &random))
            world.perform(world.script.state.tick(now: world.script.now))
        }
    }

    /// Some of the engine's bytes arrive.
    private func speak(_ world: inout World, _ random: inout SeededGenerator) {
        guard world.isOpen, !world.unsaid.isEmpty else { return }
        let count = Int.random(in: 1...min(world.unsaid.count, 60), using: &random)
        let bytes = Array(world.unsaid.prefix(count))
        world.unsaid.removeFirst(count)
        let actions = world.script.state.received(bytes.span, now: world.script.now)
        if world.script.state.phase == .ready { world.isGreeted = true }
        world.perform(actions)
    }
}
