"""What waits for a person: changes that a rule holds, and questions about commands."""
