"""Ctrl-C: the run stops within seconds, also where a job is deep in a call into C.

psutil comes with snakemake, without which there is no run to interrupt.
"""

import signal
import sys
import threading

GRACE = 5.0  # seconds that jobs have to end by themselves


class Interrupt:
    """Takes the place of Python's handler of Ctrl-C; ``happened`` says afterwards if it came."""

    happened = False

    def listen(self, stop=None):
        """``stop()`` asks the scheduler to start nothing more; None: jobs run on other machines.

        Those the executor cancels, on a KeyboardInterrupt. Here it would end up anywhere in the
        scheduler, so it is raised only when the key is pressed again.
        """
        self._stop = stop
        signal.signal(signal.SIGINT, self)

    def __call__(self, signum, frame):
        import psutil

        again, self.happened = self.happened, True
        if again or self._stop is None:
            raise KeyboardInterrupt
        print(f"stopping; jobs that run have {GRACE:.0f} s to end", file=sys.stderr, flush=True)
        jobs = psutil.Process().children(recursive=True)
        # Another thread, as the scheduler's lock may be held by the one that was interrupted.
        threading.Thread(target=self._end, args=[jobs], daemon=True).start()

    def _end(self, jobs):
        """A terminal interrupts the jobs too; those that do not listen are terminated.

        Python has no handler for SIGTERM, so no call into C can delay that.
        """
        import psutil

        self._stop()
        for job in psutil.wait_procs(jobs, timeout=GRACE)[1]:
            try:
                job.terminate()
            except psutil.NoSuchProcess:
                pass
