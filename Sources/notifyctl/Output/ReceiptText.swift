// Receipts of posts as `-v` and `--json` show them.

import Notify

enum ReceiptText {
    /// For a person.
    static func plain(_ receipt: NotifyCenter.PostReceipt) -> String {
        if let schedule = receipt.schedule {
            return "scheduled \(schedule)" + (receipt.isDuplicate ? ", duplicate" : "")
        }
        if receipt.isHeld { return receipt.hasReplaced ? "held, replaced an older one" : "held" }
        return
            "seq \(receipt.sequence), pos \(receipt.position), matched \(receipt.matched), dropped \(receipt.dropped)"
            + (receipt.isDuplicate ? ", duplicate" : "")
    }

    /// The members of the daemon's reply.
    static func json(_ receipt: NotifyCenter.PostReceipt) -> String {
        let duplicate = receipt.isDuplicate ? ",\"duplicate\":true" : ""
        if let schedule = receipt.schedule { return "{\"schedule\":\(schedule)\(duplicate)}" }
        if receipt.isHeld { return "{\"held\":true,\"replaced\":\(receipt.hasReplaced)\(duplicate)}" }
        return "{\"seq\":\(receipt.sequence),\"pos\":\(receipt.position),"
            + "\"matched\":\(receipt.matched),\"dropped\":\(receipt.dropped)\(duplicate)}"
    }
}
