// The first so many of a crowd, in order, in memory for twice as many: a list is given out page by page, and sorting all
// of it for each page would take too long from everybody.

struct Selection<Element> {
    private let limit: Int
    private let precedes: (Element, Element) -> Bool
    private var found: [Element] = []
    /// There are more than fit.
    private(set) var isCut = false

    init(_ limit: Int, by precedes: @escaping (Element, Element) -> Bool) {
        (self.limit, self.precedes) = (limit, precedes)
    }

    mutating func offer(_ element: Element) {
        if isCut, !precedes(element, found[limit - 1]) { return }
        found.append(element)
        if found.count == 2 * limit { cut() }
    }

    /// Those that were chosen.
    mutating func take() -> [Element] {
        if found.count > limit { cut() } else { found.sort(by: precedes) }
        return found
    }

    private mutating func cut() {
        found.sort(by: precedes)
        found.removeLast(found.count - limit)
        isCut = true
    }
}
