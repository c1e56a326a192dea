"""References in C: by linkage, by what headers declare, and members by declared types."""
