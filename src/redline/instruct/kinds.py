"""The kinds of change: every one with its wordings, what it does, and examples that are run.

`docs/tools/json.md` prints this table. A wording is matched word by word (see `forms`); what a
wording does not account for is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from redline.instruct import plans, structure
from redline.instruct.forms import FormWord, Pattern, Slots, patterns
from redline.instruct.plans import ClauseOutcome
from redline.instruct.sentence import Env, Sentence

Plan = Callable[[Sentence, Slots, Env], Iterator[ClauseOutcome]]
_TO = "to|=|->|=>|→|as|:"
_SET = "set|change|update|modify|switch|adjust|alter|edit|turn|reset|make|put|correct|bring|assign"
_REASSIGN = "reassign|repoint|redirect|transfer|migrate"
_MORE = "increase|raise|lower|decrease|reduce|bump|upgrade|downgrade|extend|cut|drop|up"
_ADD = "add|append|insert|push|put|place|include"
_NEW = "add|create|introduce|define|insert|append|register|declare|store"
_PLACE = "to|under|in|for|into|on|at"
_CLOSE = "(directly|immediately|right|just)"
_OCCURRENCES = "occurrences|occurrence|instances|instance"
_WITH = "with|having|that|which|and"
_NOUN = (
    "value|number|string|boolean|content|text|command|version|constraint|definition|url|list|array"
)
_HAVING = "with|having|holding|containing"
_HOLDS = (
    "has|have|contains|contain|includes|include|references|reference|lists|list|mentions|mention"
)
_GONE = "remove|delete|drop|erase|unset|discard|strip"
REMOVING = frozenset(_GONE.split("|"))


class KindWording(NamedTuple):
    """One way to put a change, and the plan that carries it out."""

    text: str
    plan: Plan


class ChangeKind(NamedTuple):
    """A kind of change as the page of forms shows it."""

    name: str
    form: str
    examples: tuple[str, ...]
    wordings: tuple[KindWording, ...]


def _kind(name: str, form: str, examples: str, *groups: tuple[Plan, str]) -> ChangeKind:
    lines = ((line.strip(), plan) for plan, text in groups for line in text.split("\n"))
    wordings = tuple(KindWording(line, plan) for line, plan in lines if line)
    return ChangeKind(
        name, form, tuple(line.strip() for line in examples.strip().split("\n")), wordings
    )


KINDS: tuple[ChangeKind, ...] = (
    _kind(
        "set",
        "`set T to V`, `change T from OLD to V`, `replace T with V`, `ensure T is V`, `T = V`",
        """Set server.port to 9090
        Change the theme of Alice from "dark" to "light"
        Set retries to 3 and timeout to 60 for the test job
        Set cache.limit to the value of cache.size
        Ensure that restart is "always" for every service
        Replace the email of the user with id 2 with "bob@example.org"
        Change the email of Alice from "example.com" to "example.org"
        Reassign all users whose theme is "dark" to "light"
        Set price to 4 where qty is 0
        Set the qty of "A-1" and "C-3" to 12 and 8
        Set Alice's theme to Bob's theme
        Change every "restart": "no" to "always"
        Set timeout to 30 for every job (lint and test)""",
        (plans.set_value, f"""
        {_SET} {{T}} {_TO} {{V}}
        {_SET}|{_MORE} {{T}} from {{O}} to {{V}}
        {_SET} {{T}} to {{V}} instead_of {{O}}
        {_SET} {{T}} to {{V}} rather_than {{O}}
        {_MORE} {{T}} to {{V}}
        set|make {{T}} equal to {{V}}
        set|make {{T}} equal {{V}}
        replace {{T}} with|by {{V}}
        replace|change {{T}} from {{O}} with|by|to {{V}}
        ensure|verify|check|confirm (that) {{T}} is|are|equals|be|= (set) (to) {{V}}
        make_sure (that) {{T}} is|are|equals|be (set) (to) {{V}}
        ensure|make_sure|verify|confirm (that) {{T}} has|have (the) (value) {{V}}
        {{T}} should|must be|become|equal {{V}}
        {{T}} should|must be (set) to {{V}}
        {{T}} becomes {{V}}
        {{T}} =|->|=>|→|: {{V}}
        """),
        (plans.set_value, """
        assign|write|put {V} to|into|in {T}
        use|assign {V} for|as {T}
        flip|toggle {T} to {V}
        """),
        (plans.set_matching, f"""
        {_SET}|{_REASSIGN} {{S}} whose|where|with {{K}} is|are|=|equals {{O}} to {{V}}
        {_REASSIGN}|move {{S}} of|from|on|in {{O}} to {{V}}
        {_REASSIGN}|move {{S}} with {{K}} {{O}} to {{V}}
        {_REASSIGN} {{S}} owned_by {{O}} to {{V}}
        {_REASSIGN} {{S}} assigned_to {{O}} to {{V}}
        """),
        (plans.set_named, f"{_SET} {{P}} to {{V}}"),
        (plans.set_each_in, f"""
        {_SET}|{_MORE} {{T}} to {{V}} for|on|in|of {{S}} and (to) {{W}} for|on|in|of {{R}}
        {_SET}|{_MORE} {{T}} of|for|in {{S}} to {{V}} and of|for|in {{R}} to {{W}}
        """),
        (plans.set_everywhere, f"""
        {_SET} {{T}} from {{O}} to {{V}} wherever|everywhere (it) (occurs|appears) in {{C}}
        {_SET} {{T}} from {{O}} to {{V}} wherever it occurs|appears
        {_SET} {{T}} to {{V}} everywhere
        {_SET} {{T}} to {{V}} everywhere in {{C}}
        {_SET} every|each|all {{T}} : {{O}} to {{V}}
        {_SET} every|each|all {{T}} : {{O}} to {{V}} across|in|throughout {{C}}
        """),
        (plans.set_same, "make|set {T} (the) same as {C}"),
        (plans.set_same_field, """
        give {S} (the) same {K} as {C}
        set|change {K} of {S} to the same {K} as {C}
        """),
        (plans.set_respectively, f"""
        {_SET} {{T}} to {{G}}
        {_SET} {{T}} to {{G}} (,) respectively
        """),
        (plans.set_plainly, """
        make {T} {V}
        mark {T} as|= {V}
        """),
    ),
    _kind(
        "set several fields",
        "`give S a K of V and K V`, `update S so that K is V and K is V`, `merge {...} into S`",
        """Update the item with sku "A-1" so that price is 4 and qty is 12
        Give the test job a timeout of 90 and retries 2
        Merge {"port": 9090, "tls": true} into server""",
        (plans.merge, "merge {J} into|in|with {S}"),
        (plans.set_fields, f"""
        set|change|switch|move|upgrade|downgrade|update|modify|adjust {{S}} to|with|: {{G}}
        {_SET} {{S}} so_that {{G}}
        {_SET} {{S}} as follows : {{G}}
        give {{S}} (a|an|the) {{G}}
        give {{S}} (the) following values|fields|settings : {{G}}
        apply (the) (following) (values|changes|settings) to|in {{S}} : {{G}}
        assign|set (the) following values|fields in|to|of|for {{S}} : {{G}}
        ensure|make_sure (that) {{S}} has|have (a|an|the) {{G}}
        {{S}} should|must get|have (a|an|the) {{G}}
        {{S}} ->|=>|:|gets|get {{G}}
        """),
    ),
    _kind(
        "switch",
        "`enable T`, `disable T`, `turn on T`, `turn T off`, `toggle T`",
        """Enable the redis service
        Turn off server.debug
        Toggle muted on every alert whose level is "low" """,
        (plans.switch(True), """
        enable|activate {T}
        turn_on {T}
        switch_on {T}
        turn|switch {T} on
        ensure|make_sure (that) {T} is|are (still) enabled|active|on
        {T} should|must be|stay|remain enabled|on
        """),
        (plans.switch(False), """
        disable|deactivate {T}
        turn_off {T}
        switch_off {T}
        turn|switch {T} off
        ensure|make_sure (that) {T} is|are (still) disabled|inactive|off
        {T} should|must be|stay|remain disabled|off
        """),
        (plans.switch(None), "toggle|flip|invert {T}"),
    ),
    _kind(
        "mark",
        "`mark S as K`, `mark S as not K`: the key K of S is true or false; "
        "`mark S as V`: its status becomes V, which a record beside has",
        """Mark Bob as active
        Mark Alice as not active""",
        (plans.mark, """
        mark|flag|set {S} as {K}
        make {S} {K}
        make_sure (that) {S} is|are {K}
        ensure (that) {S} is|are {K}
        """),
    ),
    _kind(
        "increase and decrease",
        "`increase T by N` or `by N%`, `decrease T by N`, `add N to T`, `subtract N from T`, "
        "`increment T`, `decrement T`",
        """Increase the price of every item by 10%
        Subtract 5 from cache.size
        Increment retries for both jobs""",
        (plans.shift(1), """
        increase|raise|increment|bump|up|extend|lift {T} by {N}
        increment {T}
        add {N} to {T}
        """),
        (plans.shift_field(1), """
        add {N} (more|additional|extra) {K} to {S}
        give {S} {N} more|additional|extra {K}
        """),
        (plans.shift_field(-1), "subtract|deduct|take {N} {K} from {S}"),
        (plans.shift(-1), """
        decrease|reduce|lower|decrement|cut|drop|shrink {T} by {N}
        decrement {T}
        subtract|deduct|take {N} from {T}
        """),
    ),
    _kind(
        "multiply and divide",
        "`multiply T by N`, `divide T by N`, `double T`, `triple T`, `halve T`",
        """Multiply cache.limit by 1.5
        Double the timeout of the lint job
        Halve cache.size""",
        (plans.scale(), """
        multiply|scale {T} by {N}
        divide {T} by {D}
        """),
        (plans.scale("2"), "double {T}"),
        (plans.scale("3"), "triple {T}"),
        (plans.scale("0.5"), "halve {T}\ncut {T} in half"),
    ),
    _kind(
        "remove",
        "`remove T`, `remove V from L`, `remove K from S`",
        """Remove all users where active is false
        Remove "beta" from tags
        Delete the key debug from server
        Remove the item with sku "A-1"
        Remove the item with the highest price
        Remove "beta" from tags and debug from server
        Remove all alerts marked as muted""",
        (structure.remove_values, f"""
        {_GONE} {{E}} from {{L}}
        {_GONE} {{E}} from {{L}} that|which|who {_HOLDS} it
        {_GONE} {{E}}
        take {{E}} out_of {{L}}
        """),
        (plans.remove_part, f"""
        {_GONE} {{A}} (argument|flag|option|word|text|prefix|suffix) from {{T}}
        """),
        (structure.remove_within, f"""
        {_GONE} from {{L}} {{T}}
        """),
        (structure.remove, f"""
        {_GONE} {{T}}
        get_rid_of {{T}}
        """),
    ),
    _kind(
        "remove duplicates",
        "`remove duplicates from L`: the first of equal elements stays",
        """Remove duplicates from tags""",
        (plans.dedupe, """
        remove|delete (all|any) duplicates|duplicate (entries|values|elements|items) from|in {T}
        deduplicate|dedupe {T}
        """),
    ),
    _kind(
        "add elements",
        "`add V to L`, `append V and W to L`, `prepend V to L`, `insert V into L before X`, "
        "`after X`, `between X and Y`, `at index N`, `as the first element of L`",
        """Append "canary" to tags
        Insert "build" after "install" in jobs.test.steps
        Add "prod" and "eu" to the tags of Alice
        Insert "check" as the second element of jobs.lint.steps
        Add {"sku": "D-4", "price": 3, "qty": 1} to items
        Append " (admin)" to the name of Alice
        In jobs.test.steps, add "report" at the end""",
        (structure.append(), f"""
        {_ADD} {{E}} to|into|onto|in|under {{L}}
        {_ADD} {{E}} to|at (the) end of {{L}}
        {_ADD} {{E}} at (the) end
        {_ADD} {{E}} as (the) last (new) element|entry|item|one|value of|in|to {{L}}
        {_ADD} {{E}} to {{L}} unless|if|that|which|who {{U}}
        {_ADD} {{E}}
        {_NEW} to|into|in {{L}} : {{E}}
        {_NEW} to|into {{L}} {{E}}
        {_NEW} {{X}} to|into|in {{L}} : {{E}}
        {_NEW} {{X}} : {{E}}
        in {{L}} , {_ADD} {{E}}
        ensure|make_sure (that) {{L}} contains|contain|includes|include|lists|list {{E}}
        {{L}} must|should contain|include|list {{E}}
        """),
        (plans.append_text(), """
        append {E} to {T}
        add|append {E} to|at the end of {T}
        """),
        (plans.append_text("first"), """
        prepend {E} to {T}
        add {E} to|at the beginning|start|front of {T}
        """),
        (structure.append("first"), f"""
        prepend {{E}} to {{L}}
        {_ADD} {{E}} to|at (the) front|beginning|start|top of {{L}}
        {_ADD} {{E}} at (the) front|beginning|start|top
        {_ADD} {{E}} first in|to|into {{L}}
        {_ADD} {{E}} to {{L}} at (the) front|beginning|start|top
        """),
        (structure.append("index"), f"""
        {_ADD} {{E}} as (the) {{I}} element|entry|item|value|one of|in|into|to {{L}}
        {_ADD} {{E}} as (the) {{I}} {{L}}
        {_ADD} {{E}} at index|position {{I}} of|in|into|to {{L}}
        {_ADD} {{E}} into|to|in {{L}} at index|position {{I}}
        {_ADD} {{E}} to|into|in {{L}} as (the) {{I}} element|entry|item|value|one
        """),
        (structure.append("before"), f"""
        {_ADD} {{E}} {_CLOSE} before {{A}} in|of {{L}}
        {_ADD} {{E}} into|to|in {{L}} , {_CLOSE} before {{A}}
        {_ADD} {{E}} into|to|in {{L}} {_CLOSE} before {{A}}
        {_ADD} {{E}} {_CLOSE} before {{A}} to|into {{L}}
        {_ADD} {{E}} {_CLOSE} before {{A}}
        """),
        (structure.append("after"), f"""
        {_ADD} {{E}} {_CLOSE} after {{A}} in|of {{L}}
        {_ADD} {{E}} into|to|in {{L}} , {_CLOSE} after {{A}}
        {_ADD} {{E}} into|to|in {{L}} {_CLOSE} after {{A}}
        {_ADD} {{E}} {_CLOSE} after {{A}} to|into {{L}}
        {_ADD} {{E}} {_CLOSE} after {{A}}
        """),
        (structure.append("between"), f"""
        {_ADD} {{E}} between {{A}} and {{B}} in|of {{L}}
        {_ADD} {{E}} into|to|in {{L}} (,) between {{A}} and {{B}}
        {_ADD} {{E}} between {{A}} and {{B}}
        """),
    ),
    _kind(
        "add a key",
        "`add K = V to S`, `add K: V and K: V to S`, `add a field K with the value V to S`, "
        "`add K with V under S`, `set PATH to V (new key)`",
        """Add ttl = 300 to cache
        Add a field "reminder" with the value true to every user whose active is false
        Add "ttl": 300 and "shards": 2 to cache
        Set cache.ttl to 300 (new key)
        Set tls to true for every service, adding it where missing
        Add the service "mail" with the value {"enabled": false, "restart": "no"} to services""",
        (structure.add_key, f"""
        {_NEW} {{K}} =|:|-> {{V}} {_PLACE} {{C}}
        {_NEW} {{K}} {_HAVING} (the|a) (string|boolean|numeric) {_NOUN} (of) {{V}} {_PLACE} {{C}}
        {_NEW} {{K}} with {{V}} to|under|in|for|into|on {{C}}
        {_NEW} {{K}} mapping|mapped|pointing to {{V}} to|under|in|for|into|on {{C}}
        {_NEW} {{K}} set to {{V}} to|under|in|for|on {{C}}
        {_NEW} {{K}} {_PLACE} {{C}} (,) with|having|and (the|a) (boolean|string) {_NOUN} (of) {{V}}
        {_NEW} {{K}} {_PLACE} {{C}} with|= {{V}}
        {_NEW} {{K}} {_PLACE} {{C}} (and) set to {{V}}
        {_NEW} {{K}} to|under|in|for|on|at {{C}} and_set_it_to {{V}}
        {_NEW} {{K}} =|:|-> {{V}}
        {_SET} {{K}} to|= {{V}} ( (a) new key|field|property )
        {_NEW} {{K}} {_HAVING} (the|a) (string|boolean|number) {_NOUN} (of) {{V}}
        {_NEW} {{K}} with {{V}}
        {_NEW} {{K}} set to {{V}}
        give {{C}} (a|an|the) (new) key|field|property {{K}} with|holding (the) {_NOUN} {{V}}
        {_NEW} to|under|in {{C}} {{K}} with|= (the) (value) {{V}}
        {_NEW} (a|an) (new) entry to|in|under {{C}} with key {{K}} and value {{V}}
        {_NEW} {{X}} with (the) key {{K}} and (the) {_NOUN} {{V}} to|in|under {{C}}
        """),
        (structure.set_or_add, f"""
        {_SET} {{K}} =|:|to {{V}} {_PLACE} {{C}} (,) adding it|them where|if missing
        {_SET} {{K}} =|:|to {{V}} {_PLACE} {{C}} (,) adding it|them where|if it is missing
        {_SET} {{K}} =|:|to {{V}} {_PLACE} {{C}} (,) adding the key|field where|if it is missing
        """),
        (structure.add_keys, f"{_NEW} {{G}} {_PLACE} {{C}}"),
        (structure.add_plainly, f"""
        {_NEW} {{K}} of {{V}} {_PLACE} {{C}}
        {_NEW} to|under|in {{C}} {{K}} of {{V}}
        """),
        (structure.add_json, f"""
        {_NEW}|include {{K}} {{V}} to|under|in|into {{C}}
        {_NEW} {{K}} at (version) {{V}} to|under|in|into {{C}}
        {_NEW} {{K}} to|under|in|into {{C}} as {{V}}
        {_NEW} {{K}} as {{V}}
        """),
        (structure.add_member, f"""
        {_NEW} {{K}} with (the|this) {_NOUN} (:) {{V}}
        {_NEW} {{K}} with (the|this) {_NOUN} {{V}} to|under|in|into {{C}}
        {_NEW} {{K}} to|under|in|into {{C}} with (the|this) {_NOUN} (:) {{V}}
        {_NEW} {{K}} = {{V}}
        """),
    ),
    _kind(
        "add a record",
        "`add a KIND with K V, K V and K V`, `add a KIND named N with K V`, `add K with K V to S`",
        """Add an item with sku "E-5", price 12 and qty 0
        Append to items a record with sku "F-6", price 1, qty 2
        Insert a user named "Carol" with id 3 and theme "dark" before Bob
        Add a new top-level object "metrics" with the keys "enabled": true and "port": 9100
        Add "limits" with cpu 2 and memory "64Mi" to every service""",
        (structure.add_object, f"""
        {_NEW} {{K}} with|having {{F}} {_PLACE} {{C}}
        {_NEW} {{K}} {_PLACE} {{C}} with|having {{F}}
        {_NEW} to|under|in {{C}} {{K}} with|having {{F}}
        {_NEW} {{K}} with|having (the) (keys|fields|properties) {{F}}
        {_NEW} {{K}} {_PLACE} {{C}} with|having (the) keys|fields|properties {{F}}
        """),
        (structure.add_record(), f"""
        {_NEW} {{K}} named|called {{N}} {_WITH} {{F}}
        {_NEW} {{K}} named|called {{N}} {_WITH} {{F}} to|in|into|under {{L}}

        {_NEW} {{K}} with {{F}}
        {_NEW} {{K}} with|having|using {{F}} to|in|into|under {{L}}
        {_NEW} {{K}} to|in|into|under|at {{L}} with|having|using (the) (following) (:) {{F}}
        {_NEW} {{K}} to|in|into|under {{L}} : {{F}}
        {_NEW} to|into|in {{L}} {{K}} with|having {{F}}
        {_NEW} to|into|in {{L}} : {{F}}
        {_NEW} {{K}} : {{F}}
        {_NEW} {{K}} with (the) following fields : {{F}}
        {_NEW} {{K}} made_of : {{F}}
        {_NEW} {{K}} with {{F}} as (the) last element|entry|item of|in {{L}}
        """),
        (structure.add_record("first"), f"""
        {_NEW} {{K}} with {{F}} as (the) first element|entry|item of|in {{L}}
        {_NEW} {{K}} with {{F}} at (the) beginning|front|start|top of {{L}}
        """),
        (structure.add_record("after"), f"""
        {_NEW} {{K}} with {{F}} {_CLOSE} after {{A}}
        {_NEW} {{K}} named|called {{N}} {_WITH} {{F}} {_CLOSE} after {{A}}
        """),
        (structure.add_record("between"), f"""
        {_NEW} {{K}} with {{F}} between {{A}} and {{B}}
        """),
        (structure.add_record("before"), f"""
        {_NEW} {{K}} with {{F}} {_CLOSE} before {{A}}
        {_NEW} {{K}} named|called {{N}} {_WITH} {{F}} {_CLOSE} before {{A}}
        """),
    ),
    _kind(
        "rename",
        "`rename T to K`, `rename T to K in S`",
        """Rename owner to maintainer
        Rename the key qty to quantity in every item""",
        (structure.rename, """
        rename|retitle {T} to|as|->|=> {K}
        rename|change (the) name|title|label of {T} to {K}
        """),
    ),
    _kind(
        "replace text",
        "`replace A with B in T`, `replace every occurrence of A with B`, `... everywhere`",
        """Replace "example" with "acme" in server.host
        Replace every occurrence of "checkout" with "clone" in jobs""",
        (plans.replace_everywhere, """
        replace {A} with|by {B} everywhere|throughout
        replace {A} with|by {B} everywhere|throughout in (the) (whole|entire) document|file
        replace {A} with|by {B} wherever it occurs|appears
        replace {A} with|by {B} in|throughout the (whole|entire) document|file
        """),
        (plans.replace_literal, """
        replace every|all|each {A} with|by {B}
        change {A} to {B} in|for|on|across {T}
        """),
        (plans.replace_text, f"""
        replace|swap|exchange {{A}} with|by|for {{B}} in|under|within|of {{T}}
        replace {{A}} with|by {{B}}
        replace (all|every|each) {_OCCURRENCES} of {{A}} with|by {{B}} in|under|within {{T}}
        replace (all|every|each) {_OCCURRENCES} of {{A}} in|under|within {{T}} with|by {{B}}
        replace (all|every|each) {_OCCURRENCES} of {{A}} with|by {{B}}
        """),
    ),
    _kind(
        "move",
        "`move T to S`, `move V from L to M`, `move T to the front of L`, `move T before X`",
        """Move driver from cache to server
        Move the item with sku "C-3" to the first position of items
        Move server.host to the top level as hostname
        Move cache.driver to a new top-level object drivers""",
        (structure.move, """
        move|relocate {T} to|into|under|inside {C}
        move|relocate {T} from {A} to|into {C}
        move|relocate {T} from {A} to (the) end of {C}
        move|relocate {T} out_of {A} to|into {C}
        move|relocate {T} to|into|under {C} as {K}
        move|relocate {T} to|into|under {C} and_call_it {K}
        """),
        (structure.move_into_new, """
        move|relocate {T} to|into|under (a) new top-level (object|key|section) {K}
        move|relocate {T} from {A} to|into|under (a) new top-level (object|key|section) {K}
        move|relocate {T} to|into|under (a) new top-level object {K} (,) under|as (the) key {Z}
        move|relocate {T} from {A} to|into (a) new top-level object {K} (,) under|as (the) key {Z}
        """),
        (structure.move_within("first"), """
        move {T} to (the) front|beginning|start|top of {L}
        move {T} to (the) first position|place of|in {L}
        move {T} to (the) front|beginning|start|top
        move {T} to (the) front|beginning|start|top of the|its list|array
        move {T} to (the) first position|place
        """),
        (structure.move_within("last"), """
        move {T} to (the) end|bottom of {L}
        move {T} to (the) last position|place of|in {L}
        move {T} to (the) end|bottom
        move {T} to (the) end|bottom of the|its list|array
        """),
        (structure.move_within("before"), f"""
        move {{T}} {_CLOSE} before {{A}}
        move {{T}} so_that it comes|stands {_CLOSE} before {{A}}
        move {{T}} {_CLOSE} before {{A}} in {{L}}
        """),
        (structure.move_within("after"), f"""
        move {{T}} {_CLOSE} after {{A}}
        move {{T}} so_that it comes|stands {_CLOSE} after {{A}}
        move {{T}} {_CLOSE} after {{A}} in {{L}}
        """),
    ),
    _kind(
        "copy",
        "`copy T to PATH`, `copy T to S as K`, `duplicate T as K`, `... and set its K to V`",
        """Copy server.host to cache.host
        Duplicate the lint job as "audit"
        Copy the test job to "nightly" and set its timeout to 90""",
        (structure.copy, """
        copy|duplicate (the) (value) (of) {T} to|into {C}
        copy|duplicate (the) (value) (of) {T} to|into a|the new key|field {C}
        copy|duplicate {T} from {A} to|into {C}
        copy|duplicate {T} to|into|as (a) (new) (key|field|entry) {K} in|under|of|at {C}
        copy|duplicate {T} to|into|under|in {C} as {K}
        copy|duplicate {T} to|as|under|into (a|the) (new) (key|name|field) {K}
        copy|duplicate {T} to|as|under|into (a|the) (new) top-level (key|name|field) {Z}
        store a copy of {T} under|as (the) (new) (key) {C}
        """),
        (structure.copy_changed, """
        copy|duplicate {T} to|as|under (a|the) (new) {K} and|but (set|change) its {G}
        copy|duplicate {T} to|as|under (a|the) (new) {K} and|but with {G}
        """),
    ),
    _kind(
        "swap",
        "`swap A and B`, `swap the positions of A and B`",
        """Swap cache.size and cache.limit
        Swap the positions of Alice and Bob
        Swap the first and last elements of jobs.test.steps""",
        (plans.swap, """
        swap|exchange (the) (values) (of) {A} and|with {B}
        """),
        (plans.swap_places, "swap|exchange (the) positions|places|order of {A} and|with {B}"),
        (plans.swap_ordinals, "swap|exchange (the) {A} and|with (the) {B} {T}"),
        (plans.swap_field, "swap|exchange {K} of {A} and {B}"),
    ),
    _kind(
        "sort",
        "`sort L`, `sort L by K`, `... descending`, `sort L by K, then by K`",
        """Sort items by price descending
        Sort users by active, then by name descending
        Sort tags alphabetically""",
        (plans.sort_by, "sort|order {T} by {K}"),
        (plans.sort, """
        sort|order {T} by {K} (,) (in) {R}
        sort|order {T} by {K}
        sort|order {T} (in) {R}
        sort|order {T}
        """),
    ),
    _kind(
        "reverse",
        "`reverse L`",
        """Reverse jobs.test.steps""",
        (plans.reverse, "reverse (the) (order) (of) {T}"),
    ),
    _kind(
        "clear",
        "`clear T`, `empty T`",
        """Clear the tags of every user""",
        (plans.clear, "clear|empty {T}\nremove|delete all elements|entries|items|values from {T}"),
    ),
    _kind(
        "convert",
        "`convert T to a string`, `number`, `boolean`, `list`, `upper case`, `lower case`",
        """Convert server.port to a string
        Convert the name of every user to upper case""",
        (plans.convert, """
        convert|turn|change|cast|make {T} (from) (a|an) (string|number|boolean) to|into {Y}
        convert|change (all|every) (values|value) in|of {T} to {Y}
        """),
    ),
)  # fmt: skip


class Form(NamedTuple):
    """A pattern with its kind and plan; `name` tells the kinds of elided clauses apart."""

    pattern: Pattern
    plan: Plan
    name: str


def _forms() -> tuple[dict[str, list[Form]], list[Form]]:
    by_verb: dict[str, list[Form]] = {}
    others: list[Form] = []
    for kind in KINDS:
        for wording in kind.wordings:
            for pattern in patterns(wording.text):
                form = Form(pattern, wording.plan, kind.name)
                first = pattern[0]
                if isinstance(first, FormWord):
                    for verb in first.words:
                        by_verb.setdefault(verb, []).append(form)
                else:
                    others.append(form)
    return by_verb, others


BY_VERB, WITHOUT_VERB = _forms()
