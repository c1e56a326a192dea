"""A group of servers under random faults: the processes, the clients, the faults and the judge."""
