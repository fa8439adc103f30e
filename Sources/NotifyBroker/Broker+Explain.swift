// `explain`: which rule decides whether somebody may do something. Nothing is looked up for it: whose question it is has said
// which groups that somebody is in.

import NotifyWire

extension Broker {
    mutating func explain(_ request: Request, for peer: PeerRef) {
        // A trace is asked for by a channel that has a pattern behind it.
        let traced = Self.isTrace(request.channel) ? Self.traced(request.channel) : nil
        if let fault = traced.map({ PatternName.fault(in: $0) }) ?? ChannelName.fault(in: request.channel) {
            return refuse(
                traced == nil
                    ? .invalidChannel(request.channel, fault) : .invalidPattern(request.channel, fault), request.id,
                peer)
        }
        let own = peer.pointee.profile.pointee.identity
        let identity = Self.identity(in: request, own)
        if identity != own, let refusal = check(.observe, on: Question.explain.name, peer) {
            return refuse(refusal, request.id, peer)
        }
        guard request.wantsReply else { return }
        spend(access.rules.rules.count)
        let right = request.wonder.right
        let decision =
            traced.map { access.rules.decide(right, onTracing: $0, for: identity) }
            ?? access.rules.decide(right, on: request.channel, for: identity)
        let start = outbox.replies.count
        ControlLine.beginReply(to: &outbox.replies, id: request.id)
        outbox.replies.append(",\"explain\":{\"allowed\":")
        outbox.replies.append(decision.isAllowed ? "true" : "false")
        ControlLine.appendMember(to: &outbox.replies, "right", text: "\(right.name)")
        if let traced {
            ControlLine.appendMember(to: &outbox.replies, "channel", text: "\(Self.traceChannel)")
            ControlLine.appendMember(to: &outbox.replies, "pattern", text: traced)
        } else {
            ControlLine.appendMember(to: &outbox.replies, "channel", text: request.channel)
        }
        append(identity)
        if let rule = decision.rule {
            ControlLine.appendMember(to: &outbox.replies, "rule", text: rule.text)
            ControlLine.appendMember(to: &outbox.replies, "origin", text: rule.origin)
        }
        outbox.replies.append("}")
        ControlLine.endReply(to: &outbox.replies)
        sayReply(from: start, to: peer)
    }

    /// Whoever is somebody else is in no group, and of no unit that is known, unless the request says so.
    private static func identity(in request: Request, _ own: Identity) -> Identity {
        var identity = own
        if request.present.contains(.uid), request.wonder.uid != own.uid {
            identity = Identity(uid: request.wonder.uid, gid: .max)
        }
        if request.present.contains(.groups) {
            let groups = ExplainTerms.numbers(in: request.wonder.groups) ?? []
            identity = Identity(
                uid: identity.uid, gid: groups.contains(own.gid) ? own.gid : groups.first ?? .max, groups: groups,
                unit: identity.unit)
        }
        if request.present.contains(.unit) { identity.unit = request.wonder.unit.text }
        return identity
    }

    private mutating func append(_ identity: Identity) {
        ControlLine.appendMember(to: &outbox.replies, "uid", UInt64(identity.uid))
        let groups = Set(identity.groups + (identity.gid == .max ? [] : [identity.gid])).sorted()
        outbox.replies.append(",\"groups\":[")
        outbox.replies.append(text: groups.map(String.init).joined(separator: ","))
        outbox.replies.append("]")
        if let unit = identity.unit { ControlLine.appendMember(to: &outbox.replies, "unit", text: unit) }
    }
}
