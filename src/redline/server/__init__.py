"""The only code that speaks MCP: stdio, HTTP, catalog, dispatch."""
