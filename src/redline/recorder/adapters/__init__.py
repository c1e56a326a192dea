"""The recorder's memory and its ears: what files held, and that they changed."""
