"""How fast FastWARC reads archives, beside `speed read` of crates/webstrata-archive:
python bench/warc.py FILE…"""

import sys
import time

from fastwarc.warc import ArchiveIterator, WarcRecordType

start, cpu = time.perf_counter(), time.process_time()
pages = size = 0
for name in sys.argv[1:]:
    kinds = WarcRecordType.response | WarcRecordType.resource
    for record in ArchiveIterator(name, record_types=kinds, parse_http=True):
        is_page = record.http_content_type in ("text/html", "application/xhtml+xml")
        if is_page and 200 <= (record.http_headers.status_code or 200) < 300:
            pages += 1
            size += len(record.reader.read())
seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
megabytes = size / 1e6
print(
    f"{pages} pages, {megabytes:.1f} MB of pages in {seconds:.2f} s (CPU {cpu:.2f} s): "
    f"{megabytes / seconds:.0f} MB/s (CPU {megabytes / cpu:.0f} MB/s)"
)
