"""The fixture tools, on a server whose parsers may work for two seconds on a file, not eight."""

from redline.code import analysis
from redline.core.ports.confined import Budget
from tests.wire import fixtures

# The seconds of the clock stay, for a busy machine; with less work no parser would be blamed.
analysis.BUDGET = Budget(20.0, 1 << 30, 2)
analysis.FACTS_BUDGET = Budget(10.0, 1 << 30, 2)
TOOLSET = fixtures.TOOLSET
