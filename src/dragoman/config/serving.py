"""How runs are served: where, to whom, and how much at a time."""

from pathlib import Path
from typing import Literal

from pydantic import Field, field_validator

from dragoman.config.settings import Settings
from dragoman.core.addresses import read_address, read_origin


class ServingSettings(Settings):
    """Everything about a server; a limit that is not set here does not exist."""

    host: str = "127.0.0.1"
    """The address to listen at; any other than loopback needs keys."""

    port: int = Field(5000, ge=0, le=65535)
    """0 picks a free port."""

    workers: int = Field(1, ge=1, le=64)
    """Processes, each with networks of its own."""

    threads: int = Field(0, ge=0)
    """Of each process, for its networks; 0 shares the cores out. Small networks do most with 1."""

    engine: Literal["torch", "ctranslate2"] = "torch"
    """Inference engine."""

    keys: Path | None = None
    """The file of API keys, made by `dragoman key add`; without it no key is asked for."""

    hosts: tuple[str, ...] = ()
    """Further trusted host names, such as the one that a proxy passes on."""

    origins: tuple[str, ...] = ()
    """Allowed CORS origins, such as https://example.org."""

    max_head_bytes: int = Field(16 << 10, ge=1024)
    """Bytes of a request's head."""

    max_body_bytes: int = Field(1 << 20, ge=1024)
    """Bytes of a request."""

    max_upload_bytes: int = Field(10 << 20, ge=1024)
    """Bytes of a request that holds a file."""

    read_timeout: float = Field(20.0, gt=0)
    """Seconds until a request must have arrived whole."""

    max_connections: int = Field(512, ge=1)
    """Open at the same time."""

    max_characters: int = Field(10_000, ge=1)
    """Of one request to translate, all its texts together, and of one text of a file."""

    max_texts: int = Field(64, ge=1)
    """Of one request."""

    max_images: int = Field(16, ge=1)
    """Of one request."""

    max_pixels: int = Field(25_000_000, ge=1)
    """Of one image. Decoding takes up to 20 bytes of memory a pixel (a WebP file)."""

    max_gallery_images: int = Field(20_000, ge=1)
    """Images of a run that the studio searches; held-out ones come first."""

    max_alternatives: int = Field(4, ge=0)
    """Further translations of one text."""

    max_prompt_characters: int = Field(20_000, ge=1)
    """Of one request to generate text."""

    max_tokens: int = Field(1024, ge=1)
    """That a language model generates for one request."""

    max_batch_rows: int = Field(16, ge=1)
    """Texts that a language model generates at the same time."""

    max_choices: int = Field(4, ge=1)
    """Texts that are generated from one prompt."""

    max_cached_tokens: int = Field(32_768, ge=1)
    """Tokens of all these texts that a language model holds in memory."""

    max_queued_texts: int = Field(256, ge=1)
    """Texts that may wait for each network; beyond it the answer is 503."""

    max_queued_file_texts: int = Field(20_000, ge=1)
    """Texts of uploaded files that may wait."""

    max_file_texts: int = Field(20_000, ge=1)
    """Texts of one uploaded file."""

    max_file_memory: int = Field(512 << 20, ge=64 << 20)
    """Bytes that the process may take that reads an uploaded file."""

    file_cpu_seconds: int = Field(20, ge=1)
    """CPU seconds that the process may take that reads an uploaded file."""

    file_read_timeout: float = Field(60.0, gt=0)
    """Seconds until the reading or writing of an uploaded file is given up."""

    max_batch_sentences: int = Field(96, ge=1)
    """Sentences that a translator works on at the same time; fewer are done sooner, more are
    quicker on the whole."""

    max_batch_characters: int = Field(8_000, ge=1)
    """Characters that are translated in one pass, by translators without continuous batching."""

    deadline: float = Field(60.0, gt=0)
    """Seconds until a request is given up."""

    file_deadline: float = Field(600.0, gt=0)
    """Seconds until a file is given up."""

    max_stored_files: int = Field(32, ge=1)
    """Translated files that are kept for download."""

    file_lifetime: float = Field(1800.0, gt=0)
    """Seconds that a translated file is kept for download."""

    shutdown_timeout: float = Field(30.0, ge=0)
    """Seconds that a server has on shutdown for the requests that it accepted."""

    @field_validator("hosts")
    @classmethod
    def _hosts_are_names(cls, hosts: tuple[str, ...]) -> tuple[str, ...]:
        for host in hosts:
            read = read_address(f"[{host}]" if host.count(":") > 1 else host)
            if read is None or read[1] is not None:
                raise ValueError(f"{host!r} is no name of a machine. Give it without a port.")
        return hosts

    @field_validator("origins")
    @classmethod
    def _origins_are_servers(cls, origins: tuple[str, ...]) -> tuple[str, ...]:
        for origin in origins:
            if read_origin(origin) is None:
                raise ValueError(
                    f"{origin!r} is no server of pages. Write it as https://example.org."
                )
        return origins
