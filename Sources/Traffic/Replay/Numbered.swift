/// Distinct values, each held once under a number from 0.
struct Numbered<Value: Hashable & Sendable>: Sendable {
    private var values: [Value] = []
    private var numbers: [Value: Int32] = [:]

    subscript(number: Int) -> Value { values[number] }

    var count: Int { values.count }

    mutating func number(of value: Value) -> Int {
        if let number = numbers[value] { return Int(number) }
        numbers[value] = Int32(values.count)
        values.append(value)
        return values.count - 1
    }

    /// Once no value is added any more.
    mutating func forgetNumbers() { numbers = [:] }
}
