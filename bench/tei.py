"""Is the TEI that `webstrata corpus run` writes valid by the DTD that trafilatura checks with?

    pip install trafilatura==2.3.1 lxml_html_clean
    python bench/tei.py FOLDER

The DTD declares no tables and no code, which TEI P5 has. Files with these are counted apart, and checked with other names
for these elements.
"""

import collections
import sys
from pathlib import Path

import trafilatura
from lxml import etree

UNDECLARED = {"table": "list", "row": "item", "cell": "quote", "code": "hi"}


def main() -> None:
    dtd = etree.DTD(str(Path(trafilatura.__file__).parent / "data" / "tei_corpus.dtd"))
    files = valid = undeclared = 0
    errors = collections.Counter()
    for path in Path(sys.argv[1]).rglob("*.xml"):
        files += 1
        tree = etree.parse(str(path)).getroot()
        if dtd.validate(tree):
            valid += 1
            continue
        for element in tree.iter(etree.Element):
            name = etree.QName(element)
            if name.localname in UNDECLARED:
                element.tag = f"{{{name.namespace}}}{UNDECLARED[name.localname]}"
                element.attrib.pop("role", None)
        if dtd.validate(tree):
            undeclared += 1
        else:
            errors[dtd.error_log.last_error.message] += 1
    print(f"{files} files, valid {valid}, valid but for tables and code {undeclared}, invalid {sum(errors.values())}")
    for message, count in errors.most_common(10):
        print(count, message)


main()
