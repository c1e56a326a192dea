"""Arguments, exit codes and terminal output; one module per command."""
