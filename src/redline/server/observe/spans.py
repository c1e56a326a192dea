"""OpenTelemetry spans, one per call, where the `otel` extra is installed and --otel asks for it.

Where they go is OpenTelemetry's own business: OTEL_EXPORTER_OTLP_ENDPOINT and its relatives.
"""

from __future__ import annotations

from collections.abc import Callable
from time import time_ns
from typing import Any

from redline.core.extras import install_extra

Watch = Callable[[str, bool, float], None]


class SpansUnavailable(Exception):
    """The extra is not installed."""


def otlp_provider(version: str) -> Any:
    """Return a tracer provider that sends to the collector the environment names."""
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError:
        raise SpansUnavailable(f"--otel needs an extra: {install_extra('otel')}") from None
    resource = Resource.create({"service.name": "redline", "service.version": version})
    provider = TracerProvider(resource=resource)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return provider


def span_watch(provider: Any) -> Watch:
    """A watcher that records each finished call as a span; arguments are never part of it."""
    from opentelemetry.trace import SpanKind, StatusCode

    tracer = provider.get_tracer("redline")

    def watch(tool: str, ok: bool, seconds: float) -> None:
        end = time_ns()
        span = tracer.start_span(
            f"tools/call {tool}",
            kind=SpanKind.SERVER,
            start_time=end - int(seconds * 1e9),
            attributes={"mcp.method.name": "tools/call", "gen_ai.tool.name": tool},
        )
        span.set_status(StatusCode.OK if ok else StatusCode.ERROR)
        span.end(end)

    return watch
