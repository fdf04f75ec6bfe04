"""No test may speak to another machine: sockets lead to this one alone, as without any network."""

from __future__ import annotations

import errno
import ipaddress
import socket
import sys
from typing import Any

_AT_ADDRESSES = ("socket.connect", "socket.sendto", "socket.sendmsg")
_AT_NAMES = ("socket.getaddrinfo", "socket.gethostbyname")


def is_near(host: Any) -> bool:
    """Return whether a name or an address is that of this machine itself."""
    if host in (None, "", b"", "localhost", b"localhost", socket.gethostname()):
        return True
    try:
        text = host.decode() if isinstance(host, bytes) else str(host)
        return ipaddress.ip_address(text).is_loopback
    except ValueError:
        return False


def forbid() -> None:
    """Refuse all that leads away from this machine; a hook stays as long as the process."""

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event in _AT_ADDRESSES:
            # paths of sockets in the file system are no tuples
            address = arguments[1]
            away = isinstance(address, tuple) and not is_near(address[0])
        elif event in _AT_NAMES:
            away = not is_near(arguments[0])
        else:
            return
        if away:
            raise OSError(errno.ENETUNREACH, f"no network in tests: {event} {arguments[1:]}")

    sys.addaudithook(hook)
