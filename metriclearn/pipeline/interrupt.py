"""Ctrl-C: the run stops within seconds, also where a job is deep in a call into C."""

import signal
import sys
import threading

GRACE = 5.0  # seconds that jobs have to end by themselves


class Interrupt:
    """Takes the place of Python's handler of Ctrl-C; ``happened`` says afterwards if it came."""

    happened = False

    def listen(self):
        signal.signal(signal.SIGINT, self)

    def __call__(self, signum, frame):
        """A terminal interrupts the jobs too; those that do not listen are ended."""
        import psutil

        if not self.happened:
            self.happened = True
            print(f"stopping; jobs that run have {GRACE:.0f} s to end", file=sys.stderr, flush=True)
            jobs = psutil.Process().children(recursive=True)
            timer = threading.Timer(GRACE, end, [jobs])
            timer.daemon = True
            timer.start()
        raise KeyboardInterrupt


def end(processes):
    """SIGTERM: Python has no handler for it, so no call into C can delay it."""
    import psutil

    for process in processes:
        try:
            process.terminate()
        except psutil.NoSuchProcess:
            pass
