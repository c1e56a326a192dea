"""/metrics counts what happened; spans carry names and times, never arguments."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from redline.server.observe.metrics import Metrics
from redline.server.observe.spans import span_watch
from tests.wire.client import HttpClient, connect


def _metrics(client: HttpClient, **headers: str) -> tuple[int, str]:
    status, _, body = client.fetch("GET", "/metrics", b"", headers)
    return status, body.decode()


def test_metrics_count_calls_by_tool_and_outcome(tmp_path: Path) -> None:
    with connect("http", ["--workspace", str(tmp_path), "--tools", "history"]) as client:
        assert isinstance(client, HttpClient)
        client.call("list_changes")
        client.call("undo_change")
        client.call("no_such_tool_at_all")
        status, text = _metrics(client)
        assert status == 200
    assert 'redline_calls_total{tool="list_changes",outcome="ok"} 1' in text
    assert 'redline_calls_total{tool="undo_change",outcome="error"} 1' in text
    assert 'tool="unknown",outcome="error"} 1' in text
    assert "no_such_tool_at_all" not in text
    assert 'redline_call_seconds_bucket{tool="list_changes",le="+Inf"} 1' in text


def test_metrics_ask_for_the_token_where_calls_do(tmp_path: Path) -> None:
    args = ["--workspace", str(tmp_path), "--auth-token", "sesame-open-the-door"]
    with connect("http", args, handshake=False) as client:
        assert isinstance(client, HttpClient)
        status, _ = _metrics(client)
        assert status == 401
        status, text = _metrics(client, Authorization="Bearer sesame-open-the-door")
        assert status == 200
        assert 'redline_audit_events_total{kind="auth_failed"} 1' in text


def test_a_histogram_is_cumulative() -> None:
    metrics = Metrics("1")
    for seconds in (0.0005, 0.05, 100.0):
        metrics.watch_call("t", True, seconds)
    text = metrics.render()
    assert 'redline_call_seconds_bucket{tool="t",le="0.001"} 1' in text
    assert 'redline_call_seconds_bucket{tool="t",le="60"} 2' in text
    assert 'redline_call_seconds_bucket{tool="t",le="+Inf"} 3' in text


def test_a_span_says_which_tool_how_long_and_how_it_ended() -> None:
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    span_watch(provider)("edit_file", False, 0.25)
    (span,) = exporter.get_finished_spans()
    assert span.name == "tools/call edit_file"
    assert span.end_time is not None
    assert span.start_time is not None
    assert span.end_time - span.start_time == 250_000_000
    assert not span.status.is_ok
    assert set(span.attributes or {}) == {"mcp.method.name", "gen_ai.tool.name"}


def test_spans_reach_a_collector(tmp_path: Path) -> None:
    received: list[str] = []

    class Collector(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            received.append(self.path)
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Collector) as collector:
        serving = threading.Thread(target=collector.serve_forever, daemon=True)
        serving.start()
        env = {"OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{collector.server_port}"}
        args = ["--workspace", str(tmp_path), "--tools", "history", "--otel"]
        with connect("stdio", args, env=env) as client:
            client.call("list_changes")
        collector.shutdown()
        serving.join()
    assert received == ["/v1/traces"]
