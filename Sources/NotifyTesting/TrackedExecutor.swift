// Runs jobs on Dispatch's threads and counts them.

import Dispatch
import Notify

final class TrackedExecutor: TaskExecutor {
    private let activity: Activity

    init(_ activity: Activity) {
        self.activity = activity
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        activity.begin()
        DispatchQueue.global().async {
            job.runSynchronously(on: self.asUnownedTaskExecutor())
            self.activity.end()
        }
    }
}
