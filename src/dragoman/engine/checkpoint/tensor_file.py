"""Writing a safetensors file; what the disk says against it is an OSError, as everywhere else."""

import os
import re
from collections.abc import Mapping
from pathlib import Path

from safetensors import SafetensorError
from safetensors.torch import save_file
from torch import Tensor

SYSTEM_ERROR = re.compile(r"\(os error (\d+)\)")
"""How the library names the error of a system call."""


def write_tensors(
    tensors: Mapping[str, Tensor], path: Path, metadata: dict[str, str] | None = None
) -> None:
    """Write tensors to a safetensors file, without a copy of them in memory."""
    try:
        save_file(dict(tensors), path, metadata)
    except SafetensorError as error:
        found = SYSTEM_ERROR.search(str(error))
        if found is None:
            raise
        number = int(found[1])
        raise OSError(number, os.strerror(number), str(path)) from error
