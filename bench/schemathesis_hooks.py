"""What schemathesis has to know to send lines of JSON: they are text."""

import schemathesis

schemathesis.serializer.alias("application/x-ndjson", "text/plain")
