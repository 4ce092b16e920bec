"""A stand-in for `boilerpy3`: boilerpipe's extractors, by webstrata.

>>> from webstrata.compat.boilerpy3 import extractors
>>> page = "<title>Tides</title><p>" + "High water is at noon today, the harbour office says. " * 5
>>> extractors.ArticleExtractor().get_doc(page).title
'Tides'
"""

from . import document, exceptions, extractors

__all__ = ["document", "exceptions", "extractors"]
