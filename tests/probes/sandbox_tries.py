"""Run inside the sandbox: tries one forbidden thing, prints `held: ERRNO` or `done`."""

import errno
import sys

if __name__ == "__main__":
    try:
        globals()[sys.argv[1]](*sys.argv[2:])
    except OSError as refusal:
        print("held:", errno.errorcode.get(refusal.errno or 0, str(refusal)))
    else:
        print("done")
