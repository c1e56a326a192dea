"""Programs that keep generated files in step with the code."""
