"""`python -m redline`."""

import os
import sys

# `-m` puts the working directory first: a module of the workspace must not stand in for a library.
if not sys.flags.safe_path and os.path.realpath(sys.path[0]) == os.path.realpath(os.getcwd()):
    del sys.path[0]

from redline.cli.main import run

run()
