// Something of which there is a fixed amount for many, and how it is shared: whoever holds some of it may hold, with what
// it asks for, no more than what would be left for all others, divided by the number of those who hold some:
//
//     share × holders ≤ size − used                      (share and used with what is asked for)
//
// So the first alone gets half of it, and however greedy they are, n of them leave 1/(n+1): the next one gets at least
// 1/((n+1)(n+2)) of all, whoever came before and whatever they do. Nobody is taken anything away; but who already holds
// more than its share when others come gets no more before it has given back what is too much, so that n who all give back
// and ask anew come to 1/(2n) each. (It is what dbus-broker's accounting does, with a divisor that is easier to explain.)
//
// Used twice for what waits in queues, for the connections of one account and for the accounts of all; once for the rest.

struct Pool {
    private(set) var used = 0
    /// Those whose share is not 0.
    private(set) var holders = 0

    /// Changes a holder's share, and keeps account of it.
    @inline(__always)
    mutating func change(_ share: inout Int, by amount: Int) {
        if amount == 0 { return }
        if share == 0 { holders += 1 }
        share += amount
        used += amount
        if share == 0 { holders -= 1 }
    }

    /// How much more somebody who holds `share` may have at the most.
    func most(on share: Int, of size: Int) -> Int {
        let holders = share == 0 ? holders + 1 : holders
        return max(0, (size - used - share * holders) / (holders + 1))
    }

    /// Whether somebody who holds `share` may have so much more.
    @inline(__always)
    func allows(_ more: Int, on share: Int, of size: Int) -> Bool {
        let left = size - used - more
        return left >= 0 && (share + more) * (share == 0 ? holders + 1 : holders) <= left
    }
}
