"""Stand-ins for other packages: change the import, and the page is read by webstrata.

>>> from webstrata.compat.trafilatura import extract
>>> page = "<p>High water is at noon today, the harbour office says, and the ferry leaves an hour earlier."
>>> extract(page)
'High water is at noon today, the harbour office says, and the ferry leaves an hour earlier.'

Arguments have the names, places and defaults of the package that is stood in for. What they do here is in
docs/python-compat.md; those that have no meaning are accepted.
"""
