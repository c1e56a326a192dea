"""What operators see: log, audit, metrics, traces.

Secrets are redacted here, once.
"""
