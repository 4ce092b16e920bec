"""What can go wrong. Extraction itself does not: any page gives a document."""


class Error(Exception):
    """The base of all errors of webstrata."""


class OptionError(Error, ValueError):
    """An option has a value that it cannot have; the message names one that it can."""


class ExtractorError(Error, ValueError):
    """An extractor or a model cannot be read; the message says where, and what is wrong there."""


class MissingPart(Error, AttributeError):
    """A part of a document that nobody asked for, of a page that was not kept."""


class DataError(Error, ValueError):
    """A file or table is not what it should be; the message names it."""


class ArchiveError(Error, OSError):
    """An archive, or a record of one, cannot be read."""


class InternalError(Error, RuntimeError):
    """A mistake in webstrata itself; please report it."""
