"""Hosts of a network made for a test: network namespaces on a bridge, and the Dask processes in them.

A namespace has its own interfaces, addresses and connections, so processes in two of them talk as two
machines do, over TCP and through a cable that can be pulled. Making them takes Linux, root and iproute2.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

BRIDGE, SUBNET, PORT = "bridge", "10.83.0", 8786
PREFIX = "truerank"


def unavailable() -> str:
    """Why there can be no such network here; empty where there can."""
    if not sys.platform.startswith("linux"):
        return "network namespaces are Linux’s"
    if os.geteuid() != 0:
        return "making network namespaces takes root"
    if shutil.which("ip") is None:
        return "no iproute2 here (the command ip)"
    if find_spec("distributed") is None:
        return "Dask is not installed"
    try:
        with network("one"):
            return ""
    except subprocess.CalledProcessError as error:
        return f"network namespaces cannot be made here ({error.stderr.decode().strip()})"


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)


@dataclass
class Host:
    """A machine: a namespace with one address, and what runs there.

    Attributes:
        namespace: its name.
        address: on the bridge.
        bridge: the namespace in which the other end of its cable is plugged.
        processes: what was started here, ended with the network.
    """

    namespace: str
    address: str
    bridge: str
    processes: list[subprocess.Popen[Any]] = field(default_factory=list)

    @property
    def tcp(self) -> str:
        """Where a scheduler on this host is reached."""
        return f"tcp://{self.address}:{PORT}"

    def start(
        self, command: Sequence[str], environment: Mapping[str, str] | None = None, **options: Any
    ) -> subprocess.Popen[Any]:
        """Start a process here, in a session of its own; ``environment`` is added to this process's."""
        process = subprocess.Popen(
            ["ip", "netns", "exec", self.namespace, *command],
            env={**os.environ, **(environment or {})},
            start_new_session=True,
            **options,
        )
        self.processes.append(process)
        return process

    def run(self, command: Sequence[str], **options: Any) -> subprocess.CompletedProcess[str]:
        """Run a command here to its end, and return what it said."""
        process = self.start(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)
        output, said = process.communicate(timeout=600)
        return subprocess.CompletedProcess(command, process.returncode, output, said)

    def scheduler(self, log: Path, **environment: str) -> subprocess.Popen[Any]:
        """A Dask scheduler at :attr:`tcp`, ready when this returns."""
        with log.open("wb") as said:
            process = self.start(
                [*DASK, "scheduler", "--host", self.address, "--port", str(PORT), "--no-dashboard"],
                environment,
                stdout=said,
                stderr=said,
            )
        until(lambda: b"Scheduler at:" in log.read_bytes(), "the scheduler starts")
        return process

    def worker(self, scheduler: Host, log: Path, *options: str, **environment: str) -> subprocess.Popen[Any]:
        """A Dask worker of one thread; its log says ``Registered to:`` when it is connected."""
        with log.open("ab") as said:
            words = ["--nthreads", "1", "--host", self.address, "--no-dashboard", *options]
            process = self.start(
                [*DASK, "worker", scheduler.tcp, *words],
                {"DASK_TEMPORARY_DIRECTORY": str(log.parent), **environment},
                stdout=said,
                stderr=said,
            )
        return process

    def cable(self, state: str) -> None:
        """Pull the cable (``down``) or plug it in again (``up``): packets are lost, nobody is told."""
        _ip("-n", self.bridge, "link", "set", self.namespace[-15:], state)

    def stop(self) -> None:
        """End all that was started here."""
        for process in self.processes:
            end(process)
        found = subprocess.run(["ip", "netns", "pids", self.namespace], capture_output=True, check=False)
        for number in found.stdout.split():  # a process that left its session
            os.kill(int(number), signal.SIGKILL)


DASK = (sys.executable, "-m", "dask")


def end(process: subprocess.Popen[Any]) -> None:
    """Kill a process that was started here, with its children, and wait for it."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def connected(*logs: Path) -> None:
    """Wait until workers with those logs are connected to their scheduler."""
    until(lambda: all(b"Registered to:" in log.read_bytes() for log in logs), "the workers connect")


def until(holds: Callable[[], object], what: str, seconds: float = 60) -> None:
    """Wait for something.

    Raises:
        TimeoutError: it did not come in that time.
    """
    limit = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > limit:
            raise TimeoutError(f"{what}: not within {seconds:.0f} s")
        time.sleep(0.02)


@contextmanager
def network(*names: str) -> Iterator[tuple[Host, ...]]:
    """Hosts of those names on one bridge; however the block ends, nothing of them is left.

    Raises:
        subprocess.CalledProcessError: they cannot be made here.
    """
    _sweep()
    own = f"{PREFIX}-{os.getpid()}"
    with ExitStack() as stack:
        bridge = f"{own}-bridge"
        _add(stack, bridge)
        _ip("-n", bridge, "link", "add", BRIDGE, "type", "bridge")
        _ip("-n", bridge, "link", "set", BRIDGE, "up")
        hosts = []
        for number, name in enumerate(names, 1):
            host = Host(f"{own}-{name}", f"{SUBNET}.{number}", bridge)
            _add(stack, host.namespace)
            stack.callback(host.stop)
            plug = host.namespace[-15:]  # an interface’s name is that long at most
            _ip(
                "-n",
                bridge,
                "link",
                "add",
                plug,
                "type",
                "veth",
                "peer",
                "name",
                "eth0",
                "netns",
                host.namespace,
            )
            _ip("-n", bridge, "link", "set", plug, "master", BRIDGE, "up")
            _ip("-n", host.namespace, "address", "add", f"{host.address}/24", "dev", "eth0")
            for interface in ("lo", "eth0"):
                _ip("-n", host.namespace, "link", "set", interface, "up")
            hosts.append(host)
        yield tuple(hosts)


def _add(stack: ExitStack, namespace: str) -> None:
    _ip("netns", "add", namespace)
    stack.callback(_ip, "netns", "delete", namespace)


def _sweep() -> None:
    """Remove what a process left that was itself killed before it could tidy up."""
    for line in subprocess.run(
        ["ip", "netns", "list"], capture_output=True, text=True, check=True
    ).stdout.splitlines():
        name = line.split()[0]
        prefix, _, rest = name.partition("-")
        number = rest.partition("-")[0]
        if prefix == PREFIX and number.isdigit() and not Path(f"/proc/{number}").exists():
            Host(name, "", "").stop()
            _ip("netns", "delete", name)
