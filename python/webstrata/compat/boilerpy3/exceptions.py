"""What boilerpy3 raises. Nothing raises it here: any page gives a document."""


class HTMLExtractionError(Exception):
    """A page cannot be read."""
