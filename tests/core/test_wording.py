"""Names in the texts of errors are data, and what a caller or a file brings is none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redline.adapters.workers.messages import decode_error, encode_error
from redline.core.errors import CannotApply, RedlineError
from redline.core.wording import join_texts, naming, plain_text

pytestmark = pytest.mark.requirement("agent-errors-name-the-next-call")

WORDS = {"path": "--file", "line": "--line"}
ANY = st.text(alphabet="{}pathline :", max_size=20)


@given(ANY, ANY)
def test_only_what_is_marked_as_a_name_is_called_otherwise(value: str, before: str) -> None:
    text = join_texts(before, naming("give {path} and {line} of ", value), value)
    assert plain_text(text) == f"{before}give path and line of {value}{value}"
    assert plain_text(text, WORDS) == f"{before}give --file and --line of {value}{value}"


def test_an_error_without_names_stays_as_it_is() -> None:
    error = RedlineError("path is wrong", hint="give another path")
    error.use_words(WORDS)
    assert error.text == "path is wrong\nhint: give another path"


def test_names_stay_names_on_the_way_out_of_a_worker() -> None:
    sent = CannotApply("It is not there", hint=naming("give {path}, not ", "path"))
    error = decode_error(encode_error(sent))
    assert isinstance(error, CannotApply)
    assert error.hint == "give path, not path"
    error.use_words(WORDS)
    assert error.text == "It is not there\nhint: give --file, not path"
