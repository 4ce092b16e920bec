"""How the tests run: properties without a clock, since machines may be busy."""

from hypothesis import settings

settings.register_profile("webstrata", deadline=None, print_blob=True)
settings.load_profile("webstrata")
