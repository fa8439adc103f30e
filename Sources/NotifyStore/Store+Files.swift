// Whether the names still lead to the files that are open: what is written into a file that somebody has removed or
// replaced is gone at the next start, and SQLite does not look.

import Glibc

extension Store {
    /// A file, whatever its name. Nobody else gets these numbers while SQLite has it open.
    struct FileIdentity: Equatable {
        var device: dev_t
        var number: ino_t
    }

    /// To be called when SQLite has opened its log, too.
    func rememberFiles() throws(StoreFault) {
        openFiles = []
        for file in [path, path + "-wal"] {
            guard let identity = Self.identity(of: file) else { throw Self.fault("cannot look at \(file)") }
            openFiles.append(identity)
        }
    }

    /// Whatever has come to be there instead is not ours, and is left alone.
    func checkFiles() throws(StoreFault) {
        for (file, opened) in zip([path, path + "-wal"], openFiles) where Self.identity(of: file) != opened {
            throw StoreFault(
                .unusable,
                "\(file) was removed or replaced while it was open; put it back, or start notifyd again, which then "
                    + "begins with what is there")
        }
    }

    private static func identity(of file: String) -> FileIdentity? {
        var status = stat()
        guard lstat(file, &status) == 0 else { return nil }
        return FileIdentity(device: status.st_dev, number: status.st_ino)
    }
}
