"""Why something is missing: said once on the page, elsewhere a short phrase leads there."""

from markupsafe import Markup

SHORT = 70  # characters: a reason that is no longer is said where it belongs


class Reasons:
    """The reasons of all items, with what is missing for each."""

    def __init__(self, items):
        self.found = {}
        for item in items:
            for what, reason in item["missing"]:
                place = item["id"], item["label"]
                self.found.setdefault(reason, {}).setdefault(place, []).append(what)

    def listed(self):
        """``[(address, reason, [((id, label), [what, …]), …]), …]``."""
        return [
            (self._address(reason), reason, list(parts.items()))
            for reason, parts in self.found.items()
        ]

    def phrase(self, reason):
        """The reason, or what kind of reason it is and a link to it, as HTML."""
        if len(reason) <= SHORT or reason not in self.found:
            return Markup.escape(reason)
        word = reason.partition(":")[0] if ":" in reason[:SHORT] else "no result"
        link = Markup('<a href="#{}" aria-label="why: {}">why</a>')
        return Markup("{} ({})").format(word, link.format(self._address(reason), word))

    def _address(self, reason):
        return f"missing-{list(self.found).index(reason) + 1}"
