"""Vega-Lite and what it needs, as a script inside the page: charts are drawn without a network.

Altair's bundle of it is a fifth of Plotly's. It is the only part of the page that depends on the
version of a library; ``without_bundle`` leaves it out of a comparison.
"""

import re
from functools import cache

PLACE = re.compile(r'(<script id="vega">).*?(</script>)', re.DOTALL)


@cache
def bundle():
    """The text of the script; its names are its own, but for window.vegaEmbed."""
    from vl_convert import javascript_bundle

    code = javascript_bundle("window.vegaEmbed = vegaEmbed;").replace("</script", "<\\/script")
    return f"(() => {{\n{code}\n}})();"


def without_bundle(html):
    """The page without the library."""
    return PLACE.sub(r"\1\2", html)
