// Placeholder until the suite is written.
