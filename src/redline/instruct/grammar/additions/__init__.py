"""What an addition says: where a new member goes, and the fields of a new object."""
