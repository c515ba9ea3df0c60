"""The galleries of all matching networks, each opened when it is first needed."""

import asyncio

from dragoman.config.serving import ServingSettings
from dragoman.server.model_registry import ModelRegistry
from dragoman.server.studio.gallery import Gallery


class Galleries:
    """Opens each gallery once, on another thread."""

    def __init__(self, models: ModelRegistry, settings: ServingSettings) -> None:
        self._models, self._max_images = models, settings.gallery
        self._open: dict[str, Gallery] = {}
        self._lock = asyncio.Lock()

    async def of(self, name: str) -> Gallery:
        """Return the gallery of a run that is served."""
        async with self._lock:
            if name not in self._open:
                served = self._models.matchers[name]
                self._open[name] = await asyncio.to_thread(Gallery.of, served, self._max_images)
            return self._open[name]
