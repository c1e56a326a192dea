"""Language model providers: Anthropic, Gemini and OpenAI-compatible servers.

`open_model` picks the one that the settings name; its SDK is imported on first use.
"""
