"""The command `cornerlaw`: list, run and check the gallery, plot results, measure.

Starting it imports no Numba; a command imports what it needs.
"""

import contextlib
import os
import signal
import sys
from collections.abc import Sequence

from cornerlaw.errors import CornerlawError

__all__ = ["main"]

USAGE = 2  # bad names, bad values, unreadable files
INTERRUPTED = 128  # and the number of the signal


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    0 success, 1 a check failed, 2 an error, told in one sentence on stderr.
    """
    from cornerlaw.cli.app import app

    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        # commands that speak of the command line find it in their context
        code = app(given, prog_name="cornerlaw", standalone_mode=False, obj=given)
        sys.stdout.flush()
    except CornerlawError as error:
        return _fail(str(error))
    except KeyboardInterrupt:
        return _fail("interrupted", int(_interrupted_by()))
    except BrokenPipeError:
        # the reader (`| head`) has seen enough; Python flushes stdout once more at exit
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        # the parser's own complaints, whatever library it is built on
        describe = getattr(error, "format_message", None)
        if describe is None:
            raise
        sentence = " ".join(str(describe()).split())
        # without arguments the help is printed, and there is nothing more to say
        return _fail(sentence) if sentence else USAGE
    return code if isinstance(code, int) else 0


def _interrupted_by() -> int:
    """Return the exit code of what was interrupted, without importing what it did not need."""
    heard = sys.modules.get("cornerlaw.simulate.signals")
    return INTERRUPTED + (signal.SIGINT if heard is None else heard.interrupted_by())


def _fail(sentence: str, code: int = USAGE) -> int:
    """Say what went wrong on stderr and return the exit code."""
    print(f"cornerlaw: {sentence}", file=sys.stderr)
    return code
