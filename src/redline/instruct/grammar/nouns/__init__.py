"""Names: what one denotes, what several denote side by side, and which of many is meant."""
