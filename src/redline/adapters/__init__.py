"""Everything that touches the world: files, journal, processes, git, network."""
