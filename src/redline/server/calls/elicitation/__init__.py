"""Questions to the person at the client, and their answers.

Asked directly where the transport can, otherwise by a sealed retry.
"""
