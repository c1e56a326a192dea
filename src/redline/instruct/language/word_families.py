"""Words of one family, one of which takes the place of another in a field."""

from __future__ import annotations

WORD_FAMILIES = tuple(
    frozenset(words.split())
    for words in (
        "trace debug verbose info notice warn warning error fatal critical silent off",
        "monday tuesday wednesday thursday friday saturday sunday",
        "mon tue wed thu fri sat sun",
        "january february march april may june july august september october november december",
        "lowest low minor normal medium moderate high major highest urgent critical severe",
        "xs s m l xl xxl", "small medium large",
        "easy normal medium hard expert beginner intermediate advanced",
        "get post put patch delete head options",
        "dev development test testing qa staging stage production prod local",
        "hourly daily weekly biweekly monthly quarterly yearly annually never always nightly",
        "public private internal protected hidden visible unlisted",
        "admin administrator user viewer editor owner guest member moderator reader maintainer",
        "dark light auto system", "left right center centre top bottom", "forward backward",
        "asc desc", "ascending descending", "http https tcp udp ws wss grpc",
        "petrol diesel electric hybrid", "celsius fahrenheit kelvin", "metric imperial",
        "cash card transfer invoice paypal", "economy premium business first",
        "draft review published archived scheduled", "pending accepted rejected declined",
        "open closed reopened resolved blocked", "todo doing done", "yes no maybe pending",
        "red orange yellow green blue purple black white grey gray brown pink",
        "north south east west", "sunny cloudy rainy snowy", "email sms push phone slack",
        "json yaml toml xml csv text", "gzip brotli zstd none", "round-robin random",
        "always never on-failure unless-stopped ifnotpresent", "running stopped paused",
        "vegan vegetarian standard halal kosher", "junior senior lead principal",
    )
)  # fmt: skip
FAMILY_WORDS = frozenset(word for family in WORD_FAMILIES for word in family)
