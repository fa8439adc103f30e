// The lists of fields and ops: each can be said, and each belongs somewhere.

import Testing

@testable import NotifyWire

@Suite("Fields and ops")
struct FieldTests {
    @Test("are found by exactly their names")
    func names() {
        let all = Set(Field.allCases.map { $0.name.description })
        for field in Field.allCases {
            let name = field.name.description
            #expect(found(name) == field)
            for wrong in [name + "x", String(name.dropLast()), name.uppercased(), "x" + name.dropFirst()]
            where !all.contains(wrong) {
                #expect(found(wrong) == nil, "\(wrong)")
            }
        }
        #expect(found("") == nil)
    }

    private func found(_ name: String) -> Field? {
        var name = name
        return name.withUTF8 { utf8 in utf8.baseAddress.flatMap { Field.named(ByteSlice($0, utf8.count)) } }
    }

    @Test("belong to an op")
    func owners() {
        let owned = Op.allCases.reduce([.op, .id].reduce(into: FieldSet()) { $0.insert($1 as Field) }) {
            $0.union($1.fields)
        }
        for field in Field.allCases { #expect(owned.contains(field), "\(field)") }
        for op in Op.allCases {
            #expect(op.required.isSubset(of: op.fields), "\(op)")
        }
    }

    @Test("as a set are as many as bits")
    func sets() {
        #expect(Field.allCases.count <= 64)
        var set: FieldSet = []
        #expect(set.first == nil)
        for field in Field.allCases.reversed() {
            #expect(!set.contains(field))
            set.insert(field)
            #expect(set.contains(field))
            #expect(set.first == field)
            #expect(FieldSet(field).first == field)
        }
    }

    @Test("have as many error codes as the protocol's page")
    func codes() {
        #expect(ErrorCode.allCases.count == 21)
        #expect(Set(ErrorCode.allCases.map(\.rawValue)).count == 21)
    }
}
