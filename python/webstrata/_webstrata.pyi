from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from os import PathLike
from pathlib import Path
from typing import Any, Final, Literal, Protocol, TypeVar, final, overload

from typing_extensions import Buffer, TypeAlias

__all__ = [
    "ArchiveBatches",
    "ArchiveReader",
    "ArchivedPage",
    "Block",
    "CorpusDuplicates",
    "CorpusPipeline",
    "Document",
    "Documents",
    "Duplicates",
    "Explanation",
    "Extractor",
    "JudgedBatches",
    "Link",
    "PARTS",
    "Post",
    "Segment",
    "SimilarPairs",
    "UrlTree",
    "__version__",
    "bands",
    "dedup",
    "explain",
    "extract",
    "extract_batch",
    "extract_many",
    "extractors",
    "fingerprints",
    "highlight",
    "link_pages",
    "needed_hashes",
    "page_records",
    "pagerank",
    "read_warc",
    "segment",
    "url_key",
    "warc_batches",
    "warc_records",
]

_Page: TypeAlias = str | Buffer | ArchivedPage
# A table, batch or array of any library that speaks Arrow.
_Table: TypeAlias = Any
_Archive: TypeAlias = str | PathLike[str] | _Readable
_Statuses: TypeAlias = str | int | Iterable[int]
_TableFormat: TypeAlias = Literal["text", "markdown", "html", "metadata", "links", "blocks", "posts", "json"]
_TableFormats: TypeAlias = _TableFormat | Iterable[_TableFormat]
_Pages: TypeAlias = Iterable[_Page | tuple[_Page, str | None]]
_Extractor: TypeAlias = str | PathLike[str] | Extractor
_Favor: TypeAlias = Literal["precision", "balanced", "recall"] | float
_Format: TypeAlias = Literal["text", "markdown", "html", "metadata", "links", "blocks", "posts"]
_Formats: TypeAlias = _Format | Iterable[_Format]
_TextShape: TypeAlias = Literal["structured", "flat"]
_Part: TypeAlias = Literal[
    "title",
    "subtitle",
    "byline",
    "date",
    "body",
    "heading",
    "caption",
    "table",
    "code",
    "quote",
    "list",
    "post",
    "comment",
    "signature",
    "related",
    "navigation",
    "notice",
    "other",
]
_Parts: TypeAlias = _Part | Iterable[_Part]
_Hidden: TypeAlias = Literal["drop", "keep", "mark"]
_Method: TypeAlias = Literal[
    "word-wrap",
    "tag-gap",
    "plain",
    "smoothed",
    "smoothed-sparse",
    "rule-based",
    "just-rules",
]
_PageType: TypeAlias = Literal[
    "article", "forum", "product", "listing", "collection", "documentation", "service"
]

_N = TypeVar("_N", bound=Hashable)
_T = TypeVar("_T", bound=Hashable)

__version__: Final[str]

#: The names of all parts of a page, which `include` and `exclude` take.
PARTS: Final[tuple[_Part, ...]]

class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...

@final
class ArchivedPage:
    @property
    def page(self) -> bytes: ...
    @property
    def id(self) -> str: ...
    @property
    def url(self) -> str | None: ...
    @property
    def fetched(self) -> str | None: ...
    @property
    def status(self) -> int | None: ...
    @property
    def content_type(self) -> str | None: ...
    @property
    def charset(self) -> str | None: ...
    @property
    def digest(self) -> str | None: ...
    @property
    def record_id(self) -> str | None: ...
    @property
    def file(self) -> str: ...
    @property
    def offset(self) -> int: ...
    @property
    def within(self) -> int: ...
    @property
    def truncated(self) -> bool: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    @staticmethod
    def _restore(texts: Any, place: Any, page: bytes) -> ArchivedPage: ...

@final
class ArchiveReader(Iterator[ArchivedPage]):
    @property
    def problems(self) -> list[str]: ...
    @property
    def problem_counts(self) -> dict[str, int]: ...
    def __iter__(self) -> ArchiveReader: ...
    def __next__(self) -> ArchivedPage: ...

@final
class ArchiveBatches(Iterator[Any]):
    def __iter__(self) -> ArchiveBatches: ...
    def __next__(self) -> Any: ...

@final
class CorpusPipeline:
    def __new__(
        cls, text: str, /, *, name: str = "the pipeline", extractor: _Extractor | None = None
    ) -> CorpusPipeline: ...
    @property
    def sources(self) -> list[str]: ...
    @property
    def extractor(self) -> str: ...
    @property
    def folder(self) -> Path: ...
    @property
    def format(self) -> str | None: ...
    @property
    def part_size(self) -> int: ...
    @property
    def methods(self) -> list[str]: ...
    @property
    def first_of_each(self) -> int | None: ...
    def judge(
        self,
        source: _Archive,
        /,
        *,
        name: str,
        number: int,
        rejected: bool = False,
        batch_rows: int | None = None,
        batch_bytes: int | None = None,
    ) -> JudgedBatches: ...
    def decide(self) -> CorpusDuplicates: ...
    def cut(self, pages: _Table) -> list[Any]: ...
    def lines(self, records: _Table) -> list[Any]: ...
    def table(self, records: _Table) -> list[Any]: ...
    def rejected(self, records: _Table) -> list[Any]: ...

@final
class JudgedBatches(Iterator[Any]):
    def __iter__(self) -> JudgedBatches: ...
    def __next__(self) -> Any: ...

@final
class CorpusDuplicates:
    def add(self, pages: _Table) -> list[Any]: ...

@final
class SimilarPairs:
    def __new__(cls, *, shingle: int = 6, hashes: int = 8, share: float = 0.5) -> SimilarPairs: ...
    def add(self, batch: _Table) -> list[Any]: ...

@final
class Block:
    @property
    def text(self) -> str: ...
    @property
    def is_content(self) -> bool: ...
    @property
    def label(self) -> str: ...
    @property
    def part(self) -> _Part: ...
    @property
    def labels(self) -> list[str]: ...
    @property
    def score(self) -> float: ...
    @property
    def selector(self) -> str: ...
    @property
    def path(self) -> str: ...
    @property
    def counts(self) -> dict[str, int]: ...
    @property
    def words(self) -> int: ...
    @property
    def text_density(self) -> float: ...
    @property
    def link_density(self) -> float: ...
    @property
    def reasons(self) -> dict[str, Any] | None: ...
    def to_dict(self) -> dict[str, Any]: ...

@final
class Link:
    @property
    def url(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def rel(self) -> str | None: ...
    @property
    def block(self) -> int | None: ...
    @property
    def in_content(self) -> bool: ...
    @property
    def internal(self) -> bool | None: ...
    def to_dict(self) -> dict[str, Any]: ...

@final
class Post:
    @property
    def position(self) -> int: ...
    @property
    def author(self) -> str | None: ...
    @property
    def time(self) -> str | None: ...
    @property
    def reply_to(self) -> int | None: ...
    @property
    def accepted(self) -> bool | None: ...
    @property
    def votes(self) -> int | None: ...
    @property
    def text(self) -> str: ...
    def to_dict(self) -> dict[str, Any]: ...

@final
class Document:
    @property
    def text(self) -> str: ...
    @property
    def markdown(self) -> str: ...
    @property
    def html(self) -> str: ...
    @property
    def title(self) -> str | None: ...
    @property
    def authors(self) -> list[str]: ...
    @property
    def date(self) -> str | None: ...
    @property
    def modified(self) -> str | None: ...
    @property
    def site(self) -> str | None: ...
    @property
    def description(self) -> str | None: ...
    @property
    def canonical(self) -> str | None: ...
    @property
    def image(self) -> str | None: ...
    @property
    def licence(self) -> str | None: ...
    @property
    def tags(self) -> list[str]: ...
    @property
    def metadata(self) -> dict[str, Any]: ...
    @property
    def language(self) -> str | None: ...
    @property
    def declared_language(self) -> str | None: ...
    @property
    def page_type(self) -> _PageType | None: ...
    @property
    def confidence(self) -> float | None: ...
    @property
    def links(self) -> tuple[Link, ...]: ...
    @property
    def blocks(self) -> tuple[Block, ...]: ...
    @property
    def posts(self) -> tuple[Post, ...]: ...
    @property
    def url(self) -> str | None: ...
    @property
    def encoding(self) -> str: ...
    @property
    def extractor(self) -> str: ...
    @property
    def words(self) -> int: ...
    @property
    def page_words(self) -> int: ...
    @property
    def limits(self) -> list[str]: ...
    @property
    def error(self) -> str | None: ...
    def to_dict(self) -> dict[str, Any]: ...
    def to_json(self) -> str: ...
    def highlight(self) -> str: ...
    def _repr_html_(self) -> str | None: ...
    def __bool__(self) -> bool: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    @staticmethod
    def _restore(
        json: str, languages: tuple[str | None, str | None], error: str | None
    ) -> Document: ...

@final
class Extractor:
    def __new__(cls, name: str = "strata", *, favor: _Favor | None = "balanced") -> Extractor: ...
    @staticmethod
    def from_toml(toml: str, *, models: Mapping[str, str] | None = None) -> Extractor: ...
    @staticmethod
    def from_file(path: str | PathLike[str]) -> Extractor: ...
    @property
    def name(self) -> str: ...
    @property
    def about(self) -> str: ...
    @property
    def paper(self) -> str: ...
    @property
    def asks_for_site(self) -> bool: ...
    def to_toml(self) -> str: ...
    def extract(
        self,
        page: _Page,
        /,
        *,
        url: str | None = None,
        favor: _Favor | None = None,
        formats: _Formats | None = "text",
        links: bool | None = False,
        images: bool | None = False,
        text: _TextShape | None = "structured",
        include: _Parts | None = None,
        exclude: _Parts | None = None,
        front_matter: bool | None = False,
        reasons: bool | None = False,
        hidden: _Hidden | None = "drop",
        charset: str | None = None,
        deadline_ms: float | None = None,
        max_bytes: int | None = None,
        width: int | None = None,
        keep_page: bool | None = True,
    ) -> Document: ...
    def extract_many(
        self,
        pages: _Pages,
        /,
        *,
        jobs: int | None = None,
        favor: _Favor | None = None,
        formats: _Formats | None = "text",
        links: bool | None = False,
        images: bool | None = False,
        text: _TextShape | None = "structured",
        include: _Parts | None = None,
        exclude: _Parts | None = None,
        front_matter: bool | None = False,
        reasons: bool | None = False,
        hidden: _Hidden | None = "drop",
        charset: str | None = None,
        deadline_ms: float | None = None,
        max_bytes: int | None = None,
        width: int | None = None,
        keep_page: bool | None = False,
    ) -> Documents: ...
    def explain(
        self,
        page: _Page,
        /,
        *,
        url: str | None = None,
        favor: _Favor | None = None,
        formats: _Formats | None = "text",
        links: bool | None = False,
        images: bool | None = False,
        text: _TextShape | None = "structured",
        include: _Parts | None = None,
        exclude: _Parts | None = None,
        front_matter: bool | None = False,
        reasons: bool | None = False,
        hidden: _Hidden | None = "drop",
        charset: str | None = None,
        deadline_ms: float | None = None,
        max_bytes: int | None = None,
        width: int | None = None,
    ) -> Explanation: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    @staticmethod
    def _restore(
        text: str, models: Mapping[str, str] | None, recall: float | None
    ) -> Extractor: ...

@final
class Documents(Iterator[Document]):
    def __iter__(self) -> Documents: ...
    def close(self) -> None: ...
    def __enter__(self) -> Documents: ...
    def __exit__(self, *_error: object) -> None: ...
    def __next__(self) -> Document: ...

@final
class Explanation:
    @property
    def record(self) -> dict[str, Any]: ...
    @property
    def blocks(self) -> list[dict[str, Any]]: ...
    @property
    def steps(self) -> list[dict[str, Any]]: ...
    @property
    def extractor(self) -> str: ...
    @property
    def text(self) -> str: ...
    def to_dict(self) -> dict[str, Any]: ...
    def to_json(self) -> str: ...
    def highlight(self) -> str: ...
    def keys(self) -> Iterable[str]: ...
    def __getitem__(self, key: str, /) -> Any: ...
    def _repr_html_(self) -> str: ...

@final
class Segment:
    @property
    def text(self) -> str: ...
    @property
    def index(self) -> int: ...
    @property
    def atoms(self) -> int: ...
    @property
    def first_atom(self) -> int: ...
    @property
    def lines(self) -> int: ...
    @property
    def tokens(self) -> int: ...
    @property
    def linked_tokens(self) -> int: ...
    @property
    def full_stops(self) -> int: ...
    @property
    def text_density(self) -> float: ...
    @property
    def link_density(self) -> float: ...
    def to_dict(self) -> dict[str, Any]: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    @staticmethod
    def _restore(state: Any) -> Segment: ...

@final
class Duplicates:
    @property
    def kept(self) -> list[int]: ...
    @property
    def duplicates(self) -> list[int]: ...
    @property
    def duplicate_of(self) -> list[int | None]: ...
    @property
    def similarity(self) -> list[float | None]: ...
    @property
    def groups(self) -> list[list[int]]: ...
    @property
    def without_text(self) -> list[int]: ...
    @property
    def forgotten(self) -> int: ...
    @property
    def cut(self) -> int: ...
    def is_duplicate(self, position: int) -> bool: ...
    def __len__(self) -> int: ...

@final
class UrlTree:
    def __new__(
        cls,
        extractor: _Extractor | None = "strata+site",
        *,
        favor: _Favor | None = "balanced",
        documents: int = 10000,
        age: int = 1209600,
        least: int = 100,
        memory: int = 1073741824,
    ) -> UrlTree: ...
    def add(
        self,
        url: str,
        page: _Page,
        /,
        *,
        time: int = 0,
        hidden: _Hidden | None = "drop",
        charset: str | None = None,
        deadline_ms: float | None = None,
        max_bytes: int | None = None,
        width: int | None = None,
    ) -> bool: ...
    def classify(
        self,
        url: str,
        page: _Page,
        /,
        *,
        formats: _Formats | None = "text",
        links: bool | None = False,
        images: bool | None = False,
        text: _TextShape | None = "structured",
        include: _Parts | None = None,
        exclude: _Parts | None = None,
        front_matter: bool | None = False,
        reasons: bool | None = False,
        hidden: _Hidden | None = "drop",
        charset: str | None = None,
        deadline_ms: float | None = None,
        max_bytes: int | None = None,
        width: int | None = None,
        keep_page: bool | None = False,
    ) -> Document: ...
    def classify_many(
        self,
        pages: _Pages,
        /,
        *,
        jobs: int | None = None,
        formats: _Formats | None = "text",
        links: bool | None = False,
        images: bool | None = False,
        text: _TextShape | None = "structured",
        include: _Parts | None = None,
        exclude: _Parts | None = None,
        front_matter: bool | None = False,
        reasons: bool | None = False,
        hidden: _Hidden | None = "drop",
        charset: str | None = None,
        deadline_ms: float | None = None,
        max_bytes: int | None = None,
        width: int | None = None,
        keep_page: bool | None = False,
    ) -> Documents: ...
    def texts(
        self,
        url: str,
        page: _Page,
        /,
        *,
        hidden: _Hidden | None = "drop",
        charset: str | None = None,
        deadline_ms: float | None = None,
        max_bytes: int | None = None,
        width: int | None = None,
    ) -> list[tuple[str, int]]: ...
    @property
    def extractor(self) -> Extractor: ...
    @property
    def domains(self) -> int: ...
    @property
    def memory(self) -> int: ...
    def save(self, path: str | PathLike[str]) -> None: ...
    @staticmethod
    def load(path: str | PathLike[str]) -> UrlTree: ...
    def __len__(self) -> int: ...
    def __bool__(self) -> bool: ...
    def __contains__(self, key: str, /) -> bool: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    @staticmethod
    def _restore(bytes: bytes) -> UrlTree: ...

def extract(
    page: _Page,
    /,
    *,
    url: str | None = None,
    extractor: _Extractor | None = "strata",
    favor: _Favor | None = "balanced",
    formats: _Formats | None = "text",
    links: bool | None = False,
    images: bool | None = False,
    text: _TextShape | None = "structured",
    include: _Parts | None = None,
    exclude: _Parts | None = None,
    front_matter: bool | None = False,
    reasons: bool | None = False,
    hidden: _Hidden | None = "drop",
    charset: str | None = None,
    deadline_ms: float | None = None,
    max_bytes: int | None = None,
    width: int | None = None,
    keep_page: bool | None = True,
) -> Document: ...
def extract_many(
    pages: _Pages,
    /,
    *,
    jobs: int | None = None,
    extractor: _Extractor | None = "strata",
    favor: _Favor | None = "balanced",
    formats: _Formats | None = "text",
    links: bool | None = False,
    images: bool | None = False,
    text: _TextShape | None = "structured",
    include: _Parts | None = None,
    exclude: _Parts | None = None,
    front_matter: bool | None = False,
    reasons: bool | None = False,
    hidden: _Hidden | None = "drop",
    charset: str | None = None,
    deadline_ms: float | None = None,
    max_bytes: int | None = None,
    width: int | None = None,
    keep_page: bool | None = False,
) -> Documents: ...
def extractors() -> list[Extractor]: ...
def explain(
    page: _Page,
    /,
    *,
    url: str | None = None,
    extractor: _Extractor | None = "strata",
    favor: _Favor | None = "balanced",
    formats: _Formats | None = "text",
    links: bool | None = False,
    images: bool | None = False,
    text: _TextShape | None = "structured",
    include: _Parts | None = None,
    exclude: _Parts | None = None,
    front_matter: bool | None = False,
    reasons: bool | None = False,
    hidden: _Hidden | None = "drop",
    charset: str | None = None,
    deadline_ms: float | None = None,
    max_bytes: int | None = None,
    width: int | None = None,
) -> Explanation: ...
def highlight(
    page: _Page,
    /,
    *,
    url: str | None = None,
    extractor: _Extractor | None = "strata",
    favor: _Favor | None = "balanced",
    hidden: _Hidden | None = "drop",
    charset: str | None = None,
    deadline_ms: float | None = None,
    max_bytes: int | None = None,
    width: int | None = None,
) -> str: ...
def segment(
    page: _Page,
    /,
    *,
    method: _Method = "rule-based",
    threshold: float | None = None,
    url: str | None = None,
    hidden: _Hidden | None = "drop",
    charset: str | None = None,
    deadline_ms: float | None = None,
    max_bytes: int | None = None,
    width: int | None = None,
) -> list[Segment]: ...
@overload
def dedup(
    texts: Iterable[str | Document],
    /,
    *,
    threshold: float = 0.5,
    hashes: int = 8,
    shingle: int = 6,
    method: None = None,
    memory: int = 1073741824,
    jobs: int | None = None,
) -> Duplicates: ...
@overload
def dedup(
    texts: Iterable[_Page],
    /,
    *,
    threshold: float = 0.5,
    hashes: int = 8,
    shingle: int = 6,
    method: _Method | Literal["fulltext"],
    memory: int = 1073741824,
    jobs: int | None = None,
    hidden: _Hidden | None = "drop",
    charset: str | None = None,
    deadline_ms: float | None = None,
    max_bytes: int | None = None,
    width: int | None = None,
) -> Duplicates: ...
@overload
def pagerank(
    edges: Iterable[tuple[_N, _N] | tuple[_N, _N, bool]],
    targets: None = None,
    /,
    *,
    damping: float = 0.85,
    bias: Iterable[_N] | Mapping[_N, float] | None = None,
    topics: None = None,
    nodes: Iterable[_N] | None = None,
    hosts: Literal["host", "domain"]
    | Mapping[_N, Hashable]
    | Callable[[_N], Hashable]
    | None = None,
    internal: float = 0.5,
    external: float = 0.5,
    content: float = 0.5,
    boilerplate: float = 0.5,
    choice: Literal["link", "side", "stratum"] = "link",
    dangling: Literal["jump", "uniform", "drop"] = "jump",
    tolerance: float = 1e-6,
    max_iterations: int = 1000,
    partitions: int = 1,
) -> dict[_N, float]: ...
@overload
def pagerank(
    edges: Iterable[tuple[_N, _N] | tuple[_N, _N, bool]],
    targets: None = None,
    /,
    *,
    damping: float = 0.85,
    bias: None = None,
    topics: Mapping[_T, Iterable[_N] | Mapping[_N, float]],
    nodes: Iterable[_N] | None = None,
    hosts: Literal["host", "domain"]
    | Mapping[_N, Hashable]
    | Callable[[_N], Hashable]
    | None = None,
    internal: float = 0.5,
    external: float = 0.5,
    content: float = 0.5,
    boilerplate: float = 0.5,
    choice: Literal["link", "side", "stratum"] = "link",
    dangling: Literal["jump", "uniform", "drop"] = "jump",
    tolerance: float = 1e-6,
    max_iterations: int = 1000,
    partitions: int = 1,
) -> dict[_T, dict[_N, float]]: ...
@overload
def pagerank(
    edges: Iterable[Any],
    targets: Iterable[Any],
    /,
    *,
    damping: float = 0.85,
    bias: Iterable[Any] | Mapping[Any, float] | None = None,
    topics: Mapping[Any, Iterable[Any] | Mapping[Any, float]] | None = None,
    nodes: Iterable[Any] | None = None,
    hosts: Literal["host", "domain"]
    | Mapping[Any, Hashable]
    | Callable[[Any], Hashable]
    | None = None,
    internal: float = 0.5,
    external: float = 0.5,
    content: float = 0.5,
    boilerplate: float = 0.5,
    choice: Literal["link", "side", "stratum"] = "link",
    dangling: Literal["jump", "uniform", "drop"] = "jump",
    tolerance: float = 1e-6,
    max_iterations: int = 1000,
    partitions: int = 1,
) -> dict[Any, Any]: ...
def url_key(url: str, /, *, title: str = "") -> str | None: ...
def read_warc(
    source: _Archive,
    /,
    *,
    statuses: _Statuses | None = None,
    max_bytes: int | None = None,
    name: str | None = None,
    on_problem: Callable[[str], object] | None = None,
) -> ArchiveReader: ...
def warc_batches(
    source: _Archive,
    /,
    *,
    statuses: _Statuses | None = None,
    max_bytes: int | None = None,
    name: str | None = None,
    batch_rows: int | None = 1024,
    batch_bytes: int | None = 33554432,
    archive: int | None = None,
) -> ArchiveBatches: ...
def warc_records(
    source: _Archive,
    /,
    *,
    statuses: _Statuses | None = None,
    name: str | None = None,
    min_words: int = 0,
    languages: str | Iterable[str] | None = None,
    batch_rows: int | None = None,
    batch_bytes: int | None = None,
    archive: int | None = None,
    **options: Any,
) -> ArchiveBatches: ...
def page_records(
    pages: _Table,
    /,
    *,
    min_words: int = 0,
    languages: str | Iterable[str] | None = None,
    batch_rows: int | None = None,
    batch_bytes: int | None = None,
    **options: Any,
) -> list[Any]: ...
def extract_batch(
    batch: _Table,
    /,
    *,
    html: str = "html",
    url: str | None = "url",
    charset: str | None = None,
    keep: Iterable[str] | None = None,
    prefix: str = "",
    jobs: int | None = 1,
    extractor: _Extractor | None = "strata",
    favor: _Favor | None = "balanced",
    formats: _TableFormats | None = "text",
    links: bool | None = False,
    images: bool | None = False,
    text: _TextShape | None = "structured",
    include: _Parts | None = None,
    exclude: _Parts | None = None,
    front_matter: bool | None = False,
    reasons: bool | None = False,
    hidden: _Hidden | None = "drop",
    deadline_ms: float | None = None,
    max_bytes: int | None = None,
    width: int | None = None,
) -> Any: ...
def link_pages(links: _Table, /, *, hosts: str = "host") -> list[Any]: ...
def fingerprints(
    batch: _Table, /, *, text: str = "text", shingle: int = 6, hashes: int = 8
) -> list[Any]: ...
def bands(
    batch: _Table, /, *, shingle: int = 6, hashes: int = 8, share: float = 0.5
) -> list[Any]: ...
def needed_hashes(*, shingle: int = 6, hashes: int = 8, share: float = 0.5) -> int: ...
