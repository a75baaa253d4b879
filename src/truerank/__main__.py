"""`python -m truerank`, and the command `truerank`."""

import signal


def main() -> None:
    """Run the command line; until it is loaded, Ctrl-C ends the process as it ends any other."""
    heard = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if heard:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from truerank import cli

    if heard:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    cli.main()


if __name__ == "__main__":
    main()
