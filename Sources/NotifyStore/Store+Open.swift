// Opening the file: ours or made anew, readable for its owner alone.

import Glibc

extension Store {
    /// Makes the directory, for its owner alone, with what is missing above it.
    func makeDirectory() throws(StoreFault) {
        var place = ""
        for part in directory.split(separator: "/") {
            place += "/" + part
            if mkdir(place, 0o700) != 0, errno != EEXIST, access(place, F_OK) != 0 {
                throw Self.fault("cannot make \(place)")
            }
        }
    }

    /// Opens what is there; false when nothing is.
    func openExisting() throws(StoreFault) -> Bool {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            if errno == ENOENT { return false }
            throw Self.fault("cannot look at \(path)")
        }
        guard status.st_mode & S_IFMT == S_IFREG else { throw StoreFault(.damaged, "not a file") }
        // An empty one is what a crash at the very first start leaves.
        guard status.st_size > 0 else { return false }
        chmod(path, 0o600)
        guard access(path, R_OK) == 0 else { throw StoreFault(.damaged, "not ours to read") }
        guard access(path, W_OK) == 0 else { throw Self.fault("cannot write to it") }
        let opened = try connect()
        let application = try opened.integer("PRAGMA application_id")
        // Now that nobody else can write it, and we have not yet.
        hidesCommit = WriteAheadLog.hidesCommit(path + "-wal")
        if application == 0, try opened.integer("SELECT count(*) FROM sqlite_schema") == 0 {
            if hidesCommit { throw StoreFault(.damaged, "its log is damaged, and all there was stood there") }
            // A crash while it was made.
            return false
        }
        guard application == Schema.application else { throw StoreFault(.damaged, "not a store of notifyd") }
        let version = try opened.integer("PRAGMA user_version")
        guard 1...Schema.version ~= version else {
            throw StoreFault(.damaged, "of version \(version), and this is version \(Schema.version)")
        }
        let check = try opened.prepare("PRAGMA quick_check(1)")
        guard try check.next(), check.bytes(0) == Array("ok".utf8) else {
            throw StoreFault(.damaged, "its structure is damaged")
        }
        if version < Schema.version { try migrate(opened, from: version) }
        try rememberFiles()
        database = opened
        statements = try Statements(opened)
        return true
    }

    /// Makes an empty store with the name of this numbering.
    func create() throws(StoreFault) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Self.fault("cannot make \(path)") }
        Glibc.close(descriptor)
        let opened = try connect()
        try opened.execute("BEGIN IMMEDIATE;" + Schema.steps(from: 0))
        try opened.prepare("INSERT INTO life(epoch, position, forgotten) VALUES(?, 0, 0)")
            .run(.bytes(Array(epoch.utf8)))
        try opened.execute("COMMIT")
        syncDirectory()
        try rememberFiles()
        statements = try Statements(opened)
        database = opened
    }

    /// All of it or nothing: a crash in between leaves the older version.
    private func migrate(_ opened: Database, from version: Int64) throws(StoreFault) {
        do throws(StoreFault) {
            try opened.execute("BEGIN IMMEDIATE;" + Schema.steps(from: version) + "COMMIT")
        } catch {
            try? opened.execute("ROLLBACK")
            throw error
        }
    }

    private func connect() throws(StoreFault) -> Database {
        let opened = try Database(path: path)
        // Exclusive before the first access: no memory is shared with others, and a second daemon finds it taken.
        try opened.execute("PRAGMA locking_mode = EXCLUSIVE")
        try opened.execute("PRAGMA journal_mode = WAL")
        try opened.execute("PRAGMA synchronous = FULL")
        try opened.execute("PRAGMA journal_size_limit = 8388608")
        try opened.execute("PRAGMA trusted_schema = OFF")
        return opened
    }

    /// The file's name is on disk, too.
    private func syncDirectory() {
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        Glibc.close(descriptor)
    }

    static func fault(_ what: String) -> StoreFault {
        StoreFault(.unusable, "\(what): \(String(cString: strerror(errno)))")
    }
}
