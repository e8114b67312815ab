"""
A list of the manifest: distinct names in the order in which they were found, and not more than a host should be sent.
Must not lose by its bound what tells the most, nor keep quiet that a name was left out.
"""

from manifest_names import ALWAYS_KEPT

MAX_NAMES = 500
MAX_NAME_CHARS = 200


class NameList:
    """Distinct names, bounded; it knows whether one was left out."""

    def __init__(self):
        self.names = {}
        self.cut = False

    def add(self, name):
        kept = name if len(name) <= MAX_NAME_CHARS else name[:MAX_NAME_CHARS] + "…"
        if len(self.names) < MAX_NAMES or name in ALWAYS_KEPT:
            self.names[kept] = True
        elif kept not in self.names:
            self.cut = True
