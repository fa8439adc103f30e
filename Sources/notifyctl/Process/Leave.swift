// The one way out. Nothing is buffered in C streams, and other threads may be in the middle of anything: so no exit
// handlers.

import Glibc

/// Ends the process.
func leave(_ status: ExitCode) -> Never { _exit(status.rawValue) }
