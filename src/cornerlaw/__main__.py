"""`python -m cornerlaw` is the command `cornerlaw`."""

import sys

from cornerlaw.cli import main

if __name__ == "__main__":
    sys.exit(main())
