"""Names for the dimensions of channels in files and tables."""

from cornerlaw.results.channels import Channel


class DimensionNames:
    """Give channels with equal component labels the same dimension.

    Labels of one letter make the name ("xyz"); other labels are counted ("component_1"); rows
    without labels are numbered by length ("index_4"), those with several axes by axis too.
    """

    def __init__(self) -> None:
        self.labels: dict[str, tuple[str, ...]] = {}
        self.sizes: dict[str, int] = {}
        self._names: dict[tuple[str, ...], str] = {}

    def of(self, channel: Channel) -> tuple[str, ...]:
        """Return the names of the dimensions of one row of a channel."""
        if len(channel.shape) == 1 and channel.components:
            return (self._labelled(channel.components),)
        stem = "index" if len(channel.shape) == 1 else "axis{}"
        names = tuple(f"{stem.format(k)}_{n}" for k, n in enumerate(channel.shape))
        self.sizes.update(zip(names, channel.shape, strict=True))
        return names

    def _labelled(self, components: tuple[str, ...]) -> str:
        if components not in self._names:
            short = "".join(components)
            # a long run of letters, or one that repeats, says nothing as a name
            plain = len(short) == len(set(components)) <= 3 and short.isidentifier()
            name = short if plain else f"component_{len(self._names) + 1}"
            self._names[components] = name
            self.labels[name] = components
            self.sizes[name] = len(components)
        return self._names[components]
