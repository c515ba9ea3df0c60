"""The size and habits of a network that makes images small and large again."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from dragoman.config.settings import Settings


class AutoencoderSettings(Settings):
    """An autoencoder: from an image to a few numbers, its code, and back to the image."""

    kind: Literal["autoencoder"] = "autoencoder"

    form: Literal["linear", "deep", "convolutional"] = "linear"
    """One matrix each way, which finds the space of the principal components; several layers in
    which every pixel meets every unit; or convolutions that halve the image."""

    widths: tuple[Annotated[int, Field(ge=1, le=65_536)], ...] = ()
    """Units of each layer between image and code, or channels of each convolution; on the way back
    they come in turn. `linear` has none."""

    code: int = Field(32, ge=1, le=65_536)
    """Numbers that an image is brought down to."""

    activation: Literal["relu", "gelu", "tanh", "sigmoid"] = "relu"
    """Between two layers; neither after the code nor after the last layer, and not in `linear`."""

    tied: bool = False
    """Take the matrices of the way down, transposed, for the way back."""

    @model_validator(mode="after")
    def _widths_fit_the_form(self) -> Self:
        if self.form == "linear" and self.widths:
            raise ValueError(
                f"widths = {list(self.widths)}, and form = 'linear' has no layer between image and "
                "code. Leave widths out, or set form = 'deep' or 'convolutional'."
            )
        if self.form != "linear" and not self.widths:
            example = "[256, 64]" if self.form == "deep" else "[16, 32]"
            raise ValueError(f"form = {self.form!r} needs widths, as in widths = {example}.")
        return self
