"""lacuna mcp: traces for language models, by the Model Context Protocol."""
