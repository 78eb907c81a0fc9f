"""lacuna mcp DIR...: the tools on standard input and output. Nothing listens on a network."""
from __future__ import annotations

import argparse
import functools
import importlib
import sys
from typing import Any, Callable

from .._program import LacunaError
from .folders import Folders
from .tools import Tools

_INSTRUCTIONS = """Lacuna reads traces of PyTorch and GPU programs and says why they are slow.
Ask brief first: verdict, how sure it is, what to change, and places with ranges in ns. Then gaps (why the GPU is idle),
statistics of such a range, what_if (what a change would gain), query (SQL) or picture. compare says whether a change
made a program faster. Times are integers in ns."""


def _sdk() -> tuple[Any, Any, Any]:
    """The server class, its Image and its ToolError, of either major version of the SDK."""
    for module, name in (("mcp.server.mcpserver", "MCPServer"), ("mcp.server.fastmcp", "FastMCP")):
        try:
            server = importlib.import_module(module)
            errors = importlib.import_module(module + ".exceptions")
        except ImportError:
            continue
        return getattr(server, name), server.Image, errors.ToolError
    raise LacunaError("lacuna mcp needs the mcp package: pip install 'lacuna[mcp]'")


def make_server(tools: Tools, allow_record: bool) -> Any:
    server_class, image_class, tool_error = _sdk()
    annotations: Any = importlib.import_module("mcp.types").ToolAnnotations
    server = server_class("lacuna", instructions=_INSTRUCTIONS)

    def told(tool: Callable[..., Any]) -> Callable[..., Any]:
        """What is wrong with a call is told to who asked, in words."""

        @functools.wraps(tool)
        def call(*args: Any, **named: Any) -> Any:
            try:
                answer = tool(*args, **named)
            except LacunaError as error:
                raise tool_error(str(error)) from error
            return image_class(data=answer, format="png") if isinstance(answer, bytes) else answer

        # The SDK makes the schema of the arguments from the hints; what is returned is text or a picture.
        call.__annotations__ = {key: hint for key, hint in tool.__annotations__.items() if key != "return"}
        return call

    def add(tool: Callable[..., Any], reads: bool) -> None:
        hints = annotations(readOnlyHint=reads, destructiveHint=False, openWorldHint=tool.__name__ == "record")
        server.add_tool(told(tool), name=tool.__name__, annotations=hints, structured_output=False)

    for tool in tools.reading():
        add(tool, True)
    for tool in tools.writing() + ([tools.record] if allow_record else []):
        add(tool, False)
    return server


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="lacuna mcp", description="Answers of Lacuna for agents, by the Model Context "
                                     "Protocol on standard input and output.")
    parser.add_argument("folders", nargs="+", metavar="DIR", help="folders whose traces may be read; links out of them are not")
    parser.add_argument("--allow-record", action="store_true", help="let the agent run commands and record them")
    parser.add_argument("--characters", type=int, default=20_000, metavar="N", help="most of an answer (default: 20000)")
    parser.add_argument("--timeout", type=float, default=300, metavar="S", help="seconds for an answer (default: 300)")
    given = parser.parse_args(words)
    if given.characters < 1000 or not given.timeout > 0:
        parser.error("--characters is at least 1000, --timeout above 0")
    tools = Tools(Folders(given.folders), given.characters, given.timeout)
    try:
        make_server(tools, given.allow_record).run("stdio")
    except KeyboardInterrupt:
        pass
    finally:
        tools.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
