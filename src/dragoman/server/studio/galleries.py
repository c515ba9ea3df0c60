"""The galleries of all networks for matching, each opened when it is first asked for."""

import asyncio

from dragoman.config.serving import ServingSettings
from dragoman.server.model_registry import Shelf
from dragoman.server.studio.gallery import Gallery


class Galleries:
    """Opens each gallery once, beside the work of the server."""

    def __init__(self, shelf: Shelf, settings: ServingSettings) -> None:
        self._shelf, self._most = shelf, settings.max_gallery_images
        self._open: dict[str, Gallery] = {}
        self._turn = asyncio.Lock()

    async def of(self, name: str) -> Gallery:
        """Return the gallery of a run that is served."""
        async with self._turn:
            if name not in self._open:
                served = self._shelf.matchers[name]
                self._open[name] = await asyncio.to_thread(Gallery.of, served, self._most)
            return self._open[name]
