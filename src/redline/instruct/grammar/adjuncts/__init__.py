"""What accompanies the verb of a clause: positions, tails, protections."""
