# Redline over HTTP for one workspace: docker run -v "$PWD:/workspace" -e REDLINE_AUTH_TOKEN=... -p 8000:8000 redline
FROM python:3.12-slim-bookworm AS build
WORKDIR /src
COPY pyproject.toml README.md LICENSE ./
COPY src ./src
RUN python -m venv /opt/redline && /opt/redline/bin/pip install --no-cache-dir '.[teams]'

FROM python:3.12-slim-bookworm
RUN apt-get update \
    && apt-get install -y --no-install-recommends bubblewrap git \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --uid 1000 redline \
    && mkdir -p /workspace /state && chown redline /workspace /state
COPY --from=build /opt/redline /opt/redline
USER redline
ENV PATH=/opt/redline/bin:$PATH XDG_STATE_HOME=/state
VOLUME ["/workspace", "/state"]
EXPOSE 8000
HEALTHCHECK CMD python -c "import urllib.request as u; u.urlopen('http://127.0.0.1:8000/healthz', timeout=3)"
# A bind that is not loopback needs REDLINE_AUTH_TOKEN; without it the server refuses to start.
ENTRYPOINT ["redline", "serve", "--workspace", "/workspace", "--http", "0.0.0.0:8000", \
    "--allowed-hosts", "localhost:8000,127.0.0.1:8000"]
