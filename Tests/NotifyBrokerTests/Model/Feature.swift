// What a random play may use. Each seed plays with some of it, so that what meets what is random, too, and rules that
// hold only where something is not used are checked as well.

enum Feature: CaseIterable {
    // Of posts.
    case batches, priorities, timeToLive, retain, dedup, ifSequence, requireSubscribers, schedules, coalescing, wills
    // Of subscriptions.
    case oldest, latest, fail, block, intervals, groups, history
    // Of the stage.
    case store, patience, narrowConnections, pieces
}
