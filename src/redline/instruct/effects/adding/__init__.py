"""Effects that add: elements to lists, members to objects, records, copies of values."""
