// The queue under the buffers and the request table.

// The queue behind every buffer: order, holes, and memory that does not grow.

import Testing

@testable import Notify

struct FifoTests {
    @Test func `what goes in first comes out first, across many holes`() {
        var fifo = Fifo<Int>()
        var next = 0
        for number in 0..<5000 {
            fifo.append(number)
            if number % 2 == 1 {
                #expect(fifo.popFirst() == next)
                next += 1
            }
        }
        #expect(fifo.count == 2500)
        #expect(fifo[0] == 2500)
        while let number = fifo.popFirst() {
            #expect(number == next)
            next += 1
        }
        #expect(next == 5000)
        #expect(fifo.isEmpty)
        #expect(fifo.first == nil)
    }

    @Test func `one can be put in front, with and without a hole there`() {
        var fifo = Fifo<Int>()
        fifo.prepend(2)
        fifo.append(3)
        fifo.prepend(1)
        #expect(fifo.popFirst() == 1)
        fifo.prepend(0)
        #expect(fifo.removeAll() == [0, 2, 3])
        #expect(fifo.isEmpty)
    }

    @Test func `one can be taken out of the middle`() {
        var fifo = Fifo<Int>()
        for number in 1...4 { fifo.append(number) }
        _ = fifo.popFirst()
        #expect(fifo.remove(at: 1) == 3)
        #expect(fifo.removeAll() == [2, 4])
    }
}
