"""Long text is cut for messages, within the limit."""

from hypothesis import given
from hypothesis import strategies as st

from redline.core.text_limits import shorten


@given(st.text(max_size=40), st.integers(min_value=4, max_value=30))
def test_text_within_the_limit_stays_and_longer_text_is_cut_to_it(text: str, limit: int) -> None:
    cut = shorten(text, limit)
    if len(text) <= limit:
        assert cut == text
    else:
        assert len(cut) == limit
        assert cut.endswith("...")
        assert text.startswith(cut[:-3])
