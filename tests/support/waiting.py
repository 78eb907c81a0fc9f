"""Tests wait for what they need, never for so long that it may be there."""
import time


def wait_until(condition, what, seconds=120):
    """Asks again and again until condition() holds, and gives its answer. `what`: what has not come after so many
    seconds, which is far more than any machine needs."""
    end = time.monotonic() + seconds
    while not (answer := condition()):
        if time.monotonic() > end:
            raise AssertionError(f"{what} did not come in {seconds} s")
        time.sleep(0.02)
    return answer
