"""Pure, standard library only: errors, paths, changes, splices, text facts, diffs, ports."""
