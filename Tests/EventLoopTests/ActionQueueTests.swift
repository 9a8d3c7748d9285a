import Testing

@testable import EventLoop

@Suite struct ActionQueueTests {
    /// Performs a number by adding those that it brings about.
    private final class Performer {
        var queue = ActionQueue<Int>()
        let brings: [Int: [Int]]
        var performed: [Int] = []
        var depth = 0
        var deepest = 0
        var rounds = 0

        init(_ brings: [Int: [Int]]) { self.brings = brings }

        func perform(_ new: [Int]) {
            guard queue.add(new) else { return }
            depth += 1
            deepest = max(deepest, depth)
            while let action = queue.next() {
                performed.append(action)
                perform(brings[action] ?? [])
            }
            depth -= 1
            rounds += 1
        }
    }

    @Test func actionsOfAnActionComeAfterTheOthers() {
        let performer = Performer([1: [3, 4], 3: [5]])
        for actions in [[1, 2], [1], []] { performer.perform(actions) }
        #expect(performer.performed == [1, 2, 3, 4, 5, 1, 3, 4, 5])
        #expect(performer.deepest == 1 && performer.rounds == 3)
    }
}

@Suite struct ActionListTests {
    @Test(arguments: [[], [1], [1, 2], [1, 2, 3]]) func actionsKeepTheirOrder(actions: [Int]) {
        let list = ActionList(of: actions)
        #expect(Array(list) == actions && list.count == actions.count)
        for count in 0...actions.count {
            #expect(ActionList(of: actions.prefix(count)) + ActionList(of: actions.dropFirst(count)) == list)
        }
        var queue = ActionQueue<Int>()
        let isFirst = queue.add(list)
        let queued = actions.map { _ in queue.next() }
        let last = queue.next()
        #expect(isFirst && queued == actions && last == nil)
    }
}
