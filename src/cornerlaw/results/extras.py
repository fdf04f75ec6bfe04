"""Import optional packages with an error that says how to install them."""

import importlib
from typing import Any

from cornerlaw.errors import MissingExtraError


def require(package: str, extra: str, purpose: str) -> Any:
    """Import `package`, or say which extra of cornerlaw brings it."""
    try:
        return importlib.import_module(package)
    except ImportError as error:
        raise missing_extra(error, package, extra, purpose) from None


def missing_extra(error: ImportError, package: str, extra: str, purpose: str) -> MissingExtraError:
    """Say what is missing for which purpose, and how to install it."""
    # the name differs from the package when one of its own dependencies is missing
    missing = error.name or package
    return MissingExtraError(
        f"{purpose} needs the package {missing}, which is not installed; "
        f"try: pip install cornerlaw[{extra}]"
    )
