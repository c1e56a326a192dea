"""Doc."""
LIMIT = 3
x: int = 4

@dec
class Shop(Base):
    """A shop.

    More."""
    count = 0

    @property
    async def open(self, a: int = 1) -> str:
        "Opens."
        def inner(): pass
        self.z = a
        return "open"

lam = lambda q: q
