# SPDX-License-Identifier: Apache-2.0
"""The life of a worker: start, mini-batches, shutdown, and the ways it can end."""

import atexit
import faulthandler
import os
import sys
from _json import make_scanner
from _signal import (  # type: ignore[import-not-found]  # `signal` builds enums: 0.5 ms
    SIG_IGN,
    SIGINT,
    signal,
)
from _socket import AF_UNIX, SOCK_SEQPACKET, socket
from mmap import mmap
from struct import error as struct_error
from time import monotonic_ns, process_time_ns

from windrow.worker import packets, rows, streams
from windrow.worker.items import keys_of, rows_of, unless_empty
from windrow.worker.loop import AgentGone, run_batches
from windrow.worker.script import Refused, Script, link_code

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn

    from windrow.worker.jsonl import Rows
    from windrow.worker.table import TableRows

COMMANDS, ANSWERS, PAGE = 3, 4, 5

STACK_SIGNAL = 60  # real-time, and no library is known to use it

EXIT_BROKEN = 70  # descriptors are gone, or the agent does not speak the protocol
EXIT_INIT_FAILED = 72


class BadCommand(Exception):
    """The agent sent what the protocol does not allow here."""


class Worker:
    """What the parts of a worker's life share. The main thread alone uses it."""

    __slots__ = (
        "answers",
        "commands",
        "done_flags",
        "exit_code",
        "forked",
        "page",
        "rows",
        "script",
        "serialise",
        "settings",
    )

    def __init__(self) -> None:
        """Raises OSError when descriptors 3 to 5 are not what the protocol says."""
        for descriptor in (COMMANDS, ANSWERS):
            os.set_inheritable(descriptor, False)
        self.commands = socket(AF_UNIX, SOCK_SEQPACKET, 0, COMMANDS)
        self.answers = socket(AF_UNIX, SOCK_SEQPACKET, 0, ANSWERS)
        self.page = packets.Page(mmap(PAGE, packets.PAGE_SIZE))
        os.close(PAGE)
        self.forked: list[bool] = []  # not empty in a child that the script forked
        self.exit_code = 1
        self.settings: dict[str, Any] = {}
        self.rows: Rows | TableRows | None = None  # where the items are rows
        self.script: Script
        self.serialise: Callable[[object], tuple[int, bytes]] = rows.serialise
        self.done_flags = 0  # of every answer to a mini-batch that returned

    def check_fork(self, error: "BaseException | None" = None) -> None:
        """To be called after each call into the script: a child that the script forked and let
        return, or fail, ends here and never touches the page or the sockets."""
        if self.forked:
            _leave(_exit_code_of(error))

    def failure(self, error: BaseException, method: str, what: str) -> bytes:
        """The error object of an answer; the whole trace goes to the user's error file."""
        from windrow.worker import failure

        streams.flush()
        files = (self.settings.get("user_error", ""), self.settings.get("user_stderr", ""))
        heading = failure.heading(self.settings.get("process", "worker"), what)
        return failure.report(error, method, heading, *files, of_files=self.rows is None)


def main() -> None:
    """Returns when the interpreter may end; the exit code is then set by the exit guard."""
    try:
        worker = Worker()
    except OSError as error:
        _break_off(f"descriptors 3 to 5 are not those of an agent: {error}")
    signal(SIGINT, SIG_IGN)  # Ctrl-C reaches the whole group; what follows is the agent's decision
    _show_stacks(_own_stderr())
    _guard_forks(worker)
    _guard_exit(worker)
    try:
        if _start(worker):
            _shutdown(worker, run_batches(worker))
            worker.exit_code = 0
        else:
            worker.exit_code = EXIT_INIT_FAILED
        _end_threads(worker)
    except (AgentGone, BrokenPipeError, ConnectionResetError):
        _leave(0)
    except (BadCommand, EOFError, OSError, struct_error) as error:
        _break_off(f"{type(error).__name__}: {error}")


def _start(worker: Worker) -> bool:
    """Answers the start command; false when the script could not be loaded or initialised."""
    packet, attached, _, _ = worker.commands.recvmsg(
        packets.PACKET_MAX, packets.ANCILLARY_SIZE, packets.RECEIVE_FLAGS
    )
    began, cpu = monotonic_ns(), process_time_ns()
    if not packet:
        raise AgentGone
    what, epoch, token, size = packets.COMMAND.unpack_from(packet)
    if what != packets.START:
        raise BadCommand("the first command is not start")
    payload = packet[packets.HEADER_SIZE :]
    if len(payload) != size:
        payload = packets.read_attached(attached, size)
    worker.settings = _parse(payload)
    worker.page.enter(packets.PHASE_INIT, began)
    init_began, flags, method, payload = 0, packets.FLAG_BUNDLES, "load", b""
    try:
        _load(worker)
        method = "init"
        init_began = monotonic_ns()
        worker.script.init()
        worker.check_fork()
    except BaseException as error:
        worker.check_fork(error)
        flags = packets.FLAG_REFUSED if isinstance(error, Refused) else 0
        cause = error.__cause__ if isinstance(error, Refused) else error
        payload = worker.failure(cause or error, method, method)
    inside = monotonic_ns() - init_began if init_began else 0
    kind = packets.INIT_FAILED if payload else packets.READY
    _answer(worker, (kind, epoch, token, 0, flags), payload, (began, inside, cpu))
    if not payload:
        worker.page.enter(packets.PHASE_IDLE, monotonic_ns())
    return not payload


def _load(worker: Worker) -> None:
    settings = worker.settings
    streams.redirect(
        settings["user_stdout"],
        settings["user_stderr"],
        settings.get("user_log_max", 0),
        settings.get("python_logging_level", "WARNING"),
    )
    sys.argv[:] = settings["argv"]
    try:
        link_code(settings["code_root"])
    except OSError as error:
        _complain(f"no links to the code in the working directory: {error}")
    _choose_form(worker)
    source = (os.path.realpath(settings["script"]), settings["code_root"])
    if settings.get("profiler"):
        from windrow.worker.profiling import Profiling

        profiling = Profiling(settings["profiler"], settings["profile"])
        worker.script = profiling.call(Script, *source, settings.get("module", ""))
        profiling.watch(worker.script)
    else:
        worker.script = Script(*source, settings.get("module", ""))
    worker.rows = rows_of(settings)
    if worker.rows is not None and worker.rows.counts:
        worker.script.run = unless_empty(worker.script.run)
    if worker.script.wants_context:
        from windrow.worker.context import with_context

        functions = (worker.script.run, worker.serialise)
        in_parts = bool(worker.done_flags)
        worker.script.run, worker.serialise = with_context(
            *functions, in_parts, worker.rows, keys_of(settings)
        )
        worker.done_flags = packets.FLAG_PARTS
    if settings.get("staging"):
        from windrow.worker.staging import stage

        stage(worker)


def _choose_form(worker: Worker) -> None:
    """How answers hold rows: as their text, unless the job asks for more."""
    if not worker.settings.get("append_row", True):
        worker.serialise = rows.count
    elif rows.styled(worker.settings):
        from windrow.worker.styles import Writer

        worker.serialise = Writer(worker.settings).serialise
        worker.done_flags = packets.FLAG_PARTS


def _shutdown(worker: Worker, packet: bytes) -> None:
    began, cpu = monotonic_ns(), process_time_ns()
    what, epoch, token, _ = packets.COMMAND.unpack_from(packet)
    if what != packets.SHUTDOWN:
        raise BadCommand(f"unknown command {what:#x}")
    worker.page.enter(packets.PHASE_SHUTDOWN, began)
    payload = b""
    try:
        worker.script.shutdown()
        worker.check_fork()
    except BaseException as error:
        worker.check_fork(error)
        payload = worker.failure(error, "shutdown", "shutdown")
    inside = monotonic_ns() - began
    _answer(worker, (packets.GOODBYE, epoch, token, 0, 0), payload, (began, inside, cpu))


def _answer(
    worker: Worker,
    head: "tuple[int, bytes, bytes, int, int]",
    payload: bytes,
    times: "tuple[int, int, int]",
) -> None:
    """Sends an answer to anything but a mini-batch. `times`: when it began, how long the call into
    the script took, and the processor time at the beginning."""
    began, inside, cpu = times
    spans = (monotonic_ns() - began, inside, process_time_ns() - cpu)
    header = packets.ANSWER.pack(*head, len(payload), began, *map(packets.microseconds, spans), 0)
    packets.send(worker.answers, header, payload)


class _Plain:
    """What json's scanner wants to know from a decoder."""

    strict = False
    object_hook = object_pairs_hook = parse_constant = None
    parse_float = float
    parse_int = int


def _parse(payload: bytes) -> "dict[str, Any]":
    """The JSON of the start command, by the C half of `json` alone: the other half costs 8 ms."""
    try:
        settings, _ = make_scanner(_Plain)(payload.decode("utf-8"), 0)  # type: ignore[arg-type]
    except (StopIteration, SystemError, ValueError):  # SystemError: its other half is missing
        settings = None
    if not isinstance(settings, dict):
        raise BadCommand("the payload of start is not a JSON object")
    return settings


def _guard_forks(worker: Worker) -> None:
    """In a child that the script forks: no descriptor of ours stays open, or the agent would
    never see the end of a stream while some daemon of the user's lives."""

    def in_child() -> None:
        worker.forked.append(True)
        worker.commands.close()
        worker.answers.close()

    os.register_at_fork(after_in_child=in_child)


def _guard_exit(worker: Worker) -> None:
    """Ends the process without tearing down the interpreter, which takes long and may crash in
    libraries of the user's. Registered first, so called last: after the user's threads were
    joined and the user's own exit functions were called, as in any Python program."""
    atexit.register(lambda: _leave(worker.exit_code))


def _end_threads(worker: Worker) -> None:
    """Threads that the script has left running hold up the end for a while and no longer; which
    ones they were is said in the script's log and in a second goodbye."""
    if "threading" not in sys.modules:
        return
    from windrow.worker import threads

    def end(sentence: str) -> None:
        from windrow.worker.failure import quoted

        threads.say(sentence)
        if worker.exit_code == 0:
            payload = f'{{"message": {quoted(sentence)}, "method": "threads"}}'
            head = (packets.GOODBYE, bytes(8), packets.NO_BATCH, 0, 0)
            try:
                _answer(worker, head, payload.encode(), (monotonic_ns(), 0, process_time_ns()))
            except OSError:
                pass  # the agent is gone
        _leave(worker.exit_code)

    threads.end_in_time(end)


def _exit_code_of(error: "BaseException | None") -> int:
    """What Python would exit with, and shows, when an exception reaches the top of a program."""
    if error is None:
        return 0
    if isinstance(error, SystemExit) and (error.code is None or isinstance(error.code, int)):
        return (error.code or 0) & 0xFF
    sys.excepthook(type(error), error, error.__traceback__)
    return 1


def _leave(code: int) -> "NoReturn":
    streams.flush()
    os._exit(code)


def _show_stacks(descriptor: int) -> None:
    """Of all threads: when the process crashes, and when the agent asks, before it ends a worker
    that takes too long. Both in C, so that native code that hangs shows where it was called."""
    faulthandler.enable(file=descriptor)
    if hasattr(faulthandler, "register"):
        faulthandler.register(STACK_SIGNAL, file=descriptor)


def _own_stderr() -> int:
    """Descriptor 2 under a number of our own: a script that closes 0 to 2, or opens something else
    there, still leaves its stacks when it crashes."""
    try:
        return os.dup(2)
    except OSError:  # closed already
        return 2


def _complain(text: str) -> None:
    """A line on descriptor 2: raw output of the process."""
    try:
        os.write(2, f"windrow worker: {text}\n".encode("utf-8", "replace"))
    except OSError:
        pass  # descriptor 2 is gone as well


def _break_off(reason: str) -> "NoReturn":
    _complain(f"{reason}; the worker ends")
    _leave(EXIT_BROKEN)
