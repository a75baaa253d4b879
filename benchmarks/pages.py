"""What the page of an assessment adds to it: processor time, and the size of the file."""

from __future__ import annotations

from validation.pages import LARGEST, SLOWEST, added

WANTED = f"wanted of 500: at most {SLOWEST:.0f} s of processor time, {LARGEST / 1e6:.0f} MB"


def run() -> None:
    """Print times, each of a process of its own, with the start of Altair and vl-convert."""
    for systems in (12, 129, 500):
        spent, size = added(systems)
        print(
            f"{f'page, {systems} × 50':34} {spent:8.4f} s {'':22} {size / 1e6:.2f} MB; {WANTED}", flush=True
        )


if __name__ == "__main__":
    run()
