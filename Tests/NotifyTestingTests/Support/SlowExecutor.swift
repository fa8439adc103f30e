// Lets every job wait before it runs: as on a busy machine, but each time.

import Dispatch

final class SlowExecutor: TaskExecutor {
    /// How many jobs have run.
    let jobs = Count()

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(200)) {
            job.runSynchronously(on: self.asUnownedTaskExecutor())
            self.jobs.up()
        }
    }
}
