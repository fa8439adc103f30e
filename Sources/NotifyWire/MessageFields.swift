// Where the fields of one delivered message stand in the bytes of a read. Strings are ranges between their quotes,
// escapes and all; the payload is the range of its JSON text.

package struct MessageFields: Sendable {
    package var line = ByteRange.absent
    package var channel = ByteRange.absent
    package var type = ByteRange.absent
    package var subject = ByteRange.absent
    package var time = ByteRange.absent
    package var payload = ByteRange.absent
    package var sub: UInt64 = 0
    package var seq: UInt64 = 0
    package var pos: UInt64 = 0
    package var client: UInt64 = 0
    package var pid: Int32 = 0
    package var uid: UInt32 = 0
    package var isReplay = false
    package var isRetained = false
    package var priority = Priority.normal

    package init() {}
}
