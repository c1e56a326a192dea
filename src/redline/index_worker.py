"""The background program that brings a workspace's code index up to date.

Started as `python -P -m redline.index_worker ROOTS STATE_DIR`.
"""

from __future__ import annotations

import sys

from redline.app import build_index

if __name__ == "__main__":
    build_index(*sys.argv[1:])
