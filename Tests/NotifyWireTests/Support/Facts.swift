// What a request says, apart from where it stands.

import NotifyWire

struct Facts: Equatable {
    var op: Op
    var present: FieldSet
    var slices: [[UInt8]]
    var retain: Bool

    init(_ request: Request) {
        op = request.op
        present = request.present
        retain = request.retain
        slices = [
            request.id, request.present.contains(.channel) ? request.channel : .empty, request.type,
            request.subject, request.typeToken, request.subjectToken, request.payload,
        ].map { [UInt8]($0) }
    }
}
