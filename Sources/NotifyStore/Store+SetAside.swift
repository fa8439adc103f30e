// A file that is no sound store is kept for whoever wants to look at it, under a name with the time.

import Glibc

extension Store {
    func setAside(_ reason: String, now: Int64) throws(StoreFault) {
        statements = nil
        database = nil
        let target = freeName(now)
        // The log first: left alone beside a new database it would be taken for its own.
        for suffix in ["-wal", "-shm", "-journal", ""] {
            guard rename(path + suffix, target + suffix) != 0, errno != ENOENT else { continue }
            unsound = reason
            throw Self.fault("it is unusable (\(reason)) and cannot be set aside")
        }
        unsound = nil
        note("the store \(path) is unusable (\(reason)): it has been set aside as \(target)")
    }

    private func freeName(_ now: Int64) -> String {
        var seconds = time_t(now / 1_000_000_000)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        var text = [CChar](repeating: 0, count: 32)
        strftime(&text, text.count, "%Y%m%dT%H%M%SZ", &parts)
        let name =
            path + ".unusable-" + String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        var free = name
        var number = 1
        while access(free, F_OK) == 0 {
            number += 1
            free = "\(name).\(number)"
        }
        return free
    }
}
