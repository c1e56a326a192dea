"""The chart: noun phrases, conditions, values, verb frames, clauses and whole sentences."""
