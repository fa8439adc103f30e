// libsqlite3, loaded when the first store is opened.

import CSQLite

enum Library {
    /// Once per process: the library stays loaded.
    private static let loaded: (calls: csqlite, missing: String?) = {
        var calls = csqlite()
        let missing = csqlite_load(&calls).map { String(cString: $0) }
        return (calls, missing)
    }()

    static func calls() throws(StoreFault) -> csqlite {
        if let missing = loaded.missing { throw StoreFault(.unusable, "\(missing) cannot be loaded") }
        return loaded.calls
    }
}
