"""Counting the scans of a JPEG file, without decoding it.

A progressive JPEG is made finer scan by scan, and each scan goes through the whole image, even
where it is a few bytes long and changes nothing: 10 MB of such scans keep a decoder busy for most
of an hour.
"""

import re

SEGMENT = re.compile(rb"\xff([^\x00\x01\xd0-\xd8\xff])")
"""A marker that a length follows, or the end; others stand between the codes of a scan."""

START_OF_SCAN, END_OF_IMAGE = 0xDA, 0xD9


def has_more_scans(content: bytes, most: int) -> bool:
    """Say whether the first image of a JPEG file has more scans than that."""
    scans = 0
    found = SEGMENT.search(content)
    while found and scans <= most and found[1][0] != END_OF_IMAGE:
        scans += found[1][0] == START_OF_SCAN
        length = int.from_bytes(content[found.end() : found.end() + 2], "big")
        found = SEGMENT.search(content, found.end() + length)
    return scans > most
