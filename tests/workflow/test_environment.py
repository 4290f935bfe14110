"""What the workflow changes in the program that runs it."""

from types import SimpleNamespace

from metriclearn.workflow import environment


def test_looks_of_the_scheduler_do_not_multiply(monkeypatch):
    timers, released = [], []

    def timer(delay, work):
        timers.append((delay, work))
        return SimpleNamespace(start=lambda: None)

    monkeypatch.setattr(environment.threading, "Timer", timer)
    scheduler = SimpleNamespace(
        _schedule_reevalutation=None,
        _open_jobs=SimpleNamespace(release=lambda: released.append(1)),
    )
    environment.one_timer_at_a_time(scheduler)
    for _ in range(3):  # three jobs end
        scheduler._schedule_reevalutation(1.0)
    assert len(timers) == 1 and timers[0][0] == 1.0
    timers[0][1]()
    assert released == [1]
    scheduler._schedule_reevalutation(1.0)  # the next look has the next timer
    assert len(timers) == 2


def test_another_scheduler_is_left_alone():
    scheduler = SimpleNamespace()
    environment.one_timer_at_a_time(scheduler)
    assert vars(scheduler) == {}
