"""Who answers an instruction: the offline engine when it is certain, else the provider."""

from __future__ import annotations

from redline.dialects.tool import Call
from redline.instruct.engine import Proposal, propose
from redline.instruct.values import Value


def propose_for(call: Call, document: Value, instruction: str) -> Proposal:
    """The proposal for *instruction*."""
    call.cancel.check()
    return propose(document, instruction)
