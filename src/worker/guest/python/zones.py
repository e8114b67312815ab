"""
IANA's time zones for `zoneinfo`, which finds no database here: one compressed file a zone, unpacked when it is asked for.
Once, before the snapshot is taken. Local time stays UTC: a program's clock is nobody's wall clock.
"""

import base64
import io
import zlib
import zoneinfo
from zoneinfo import _common


def give_zones(index, data):
    """
    index: lines of a zone's name, and the start and end of its file.
    data: the files, base64.
    """
    # One text and one run of bytes: thousands of small objects would be in every interpreter's memory.
    lines, files = f"\n{index}", base64.b64decode(data)
    unpack, read, missing = zlib.decompress, io.BytesIO, zoneinfo.ZoneInfoNotFoundError

    def load_tzdata(key):
        found = lines.find(f"\n{key} ")
        if found < 0 or "\n" in key or " " in key:
            raise missing(f"No time zone found with key {key}")
        start, end = lines[found + 1 : lines.index("\n", found + 1)].split(" ")[1:]
        return read(unpack(files[int(start) : int(end)]))

    def available_timezones(_):
        """Returns a set containing all available time zones."""
        return {line.partition(" ")[0] for line in lines.split("\n") if line}

    _common.load_tzdata = load_tzdata
    stand_in(zoneinfo, "available_timezones", available_timezones)
