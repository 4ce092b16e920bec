//! What sources call their fields: tables of names, each with the field, the source and the rank.

use std::sync::LazyLock;

use super::Field::{
    self, Author, Canonical, Description, Image, Kind, Language, Licence, Modified, Published,
    Site, Tag as Tags, Title,
};
use super::Source::{self, Meta, OpenGraph};

/// `<meta>` by name: field, source and rank.
#[rustfmt::skip]
const METAS: &[(&str, Field, Source, u8)] = &[
    ("og:title", Title, OpenGraph, 1), ("citation_title", Title, Meta, 0), ("parsely-title", Title, Meta, 2),
    ("sailthru.title", Title, Meta, 2), ("twitter:title", Title, Meta, 2), ("dc.title", Title, Meta, 2),
    ("dcterms.title", Title, Meta, 2), ("title", Title, Meta, 4),
    ("citation_author", Author, Meta, 1), ("parsely-author", Author, Meta, 2), ("author", Author, Meta, 3),
    ("sailthru.author", Author, Meta, 2), ("dc.creator", Author, Meta, 4), ("dcterms.creator", Author, Meta, 4),
    ("dc.contributor.author", Author, Meta, 4), ("article:author", Author, OpenGraph, 4),
    ("article:author_name", Author, OpenGraph, 2), ("byl", Author, Meta, 2), ("book:author", Author, OpenGraph, 4),
    ("twitter:data1", Author, Meta, 6), ("creator", Author, Meta, 5), ("authors", Author, Meta, 3),
    ("article:published_time", Published, OpenGraph, 1), ("og:article:published_time", Published, OpenGraph, 1),
    ("og:published_time", Published, OpenGraph, 1), ("og:pubdate", Published, OpenGraph, 1),
    ("article:published", Published, OpenGraph, 1), ("article.published", Published, Meta, 2),
    ("citation_publication_date", Published, Meta, 2), ("citation_online_date", Published, Meta, 2),
    ("citation_date", Published, Meta, 3), ("parsely-pub-date", Published, Meta, 2),
    ("sailthru.date", Published, Meta, 2), ("dc.date.issued", Published, Meta, 3),
    ("dcterms.issued", Published, Meta, 3), ("dcterms.created", Published, Meta, 3),
    ("dc.date.created", Published, Meta, 3), ("dc.created", Published, Meta, 3), ("dc.date", Published, Meta, 3),
    ("dcterms.date", Published, Meta, 3), ("date", Published, Meta, 3), ("pubdate", Published, Meta, 3),
    ("publishdate", Published, Meta, 3), ("publish_date", Published, Meta, 3), ("publish-date", Published, Meta, 3),
    ("published_time", Published, Meta, 3), ("publication_date", Published, Meta, 3),
    ("date_published", Published, Meta, 3),
    ("published", Published, Meta, 3), ("dc.date.published", Published, Meta, 3), ("originalpublicationdate", Published, Meta, 3),
    ("article_date_original", Published, Meta, 2), ("cxenseparse:recs:publishtime", Published, Meta, 3),
    ("article:modified_time", Modified, OpenGraph, 1), ("og:updated_time", Modified, OpenGraph, 2),
    ("dcterms.modified", Modified, Meta, 3), ("dc.date.modified", Modified, Meta, 3),
    ("last-modified", Modified, Meta, 3), ("lastmod", Modified, Meta, 3), ("revised", Modified, Meta, 3),
    ("article:modified", Modified, OpenGraph, 1), ("modified_time", Modified, Meta, 3),
    ("og:site_name", Site, OpenGraph, 0), ("application-name", Site, Meta, 2),
    ("citation_journal_title", Site, Meta, 2), ("dc.publisher", Site, Meta, 3), ("dcterms.publisher", Site, Meta, 3),
    ("apple-mobile-web-app-title", Site, Meta, 5), ("al:ios:app_name", Site, Meta, 6),
    ("og:description", Description, OpenGraph, 0), ("description", Description, Meta, 1),
    ("twitter:description", Description, Meta, 2), ("dc.description", Description, Meta, 2),
    ("dcterms.description", Description, Meta, 2),
    ("content-language", Language, Meta, 1), ("dc.language", Language, Meta, 1),
    ("dcterms.language", Language, Meta, 1), ("og:locale", Language, OpenGraph, 3),
    ("og:url", Canonical, OpenGraph, 1),
    ("og:image", Image, OpenGraph, 0), ("og:image:url", Image, OpenGraph, 0),
    ("og:image:secure_url", Image, OpenGraph, 1), ("twitter:image", Image, Meta, 1),
    ("twitter:image:src", Image, Meta, 1), ("parsely-image-url", Image, Meta, 1), ("thumbnail", Image, Meta, 3),
    ("article:tag", Tags, OpenGraph, 0), ("parsely-tags", Tags, Meta, 4), ("sailthru.tags", Tags, Meta, 4),
    ("news_keywords", Tags, Meta, 4), ("keywords", Tags, Meta, 4), ("citation_keywords", Tags, Meta, 4),
    ("dc.subject", Tags, Meta, 4),
    ("dcterms.license", Licence, Meta, 2), ("dc.rights.license", Licence, Meta, 2),
    ("dcterms.rights", Licence, Meta, 3), ("dc.rights", Licence, Meta, 3), ("rights", Licence, Meta, 3),
    ("og:type", Kind, OpenGraph, 1),
];

/// Properties of microdata and RDFa.
pub(super) const PROPERTIES: &[(&str, Field, u8)] = &[
    ("headline", Title, 3),
    ("author", Author, 5),
    ("creator", Author, 6),
    ("datepublished", Published, 4),
    ("datecreated", Published, 5),
    ("datemodified", Modified, 4),
    ("license", Licence, 2),
    ("inlanguage", Language, 2),
];

/// Does a `twitter:label1` announce an author? As plug-ins for blogs write it in the languages of their users.
pub(super) fn is_author_label(label: &str) -> bool {
    #[rustfmt::skip]
    const LABELS: &[&str] = &[
        "written", "author", "by", "verfasst", "geschrieben", "autor", "auteur", "écrit", "escrito", "scritto", "geschreven",
        "skriv", "napisane", "автор", "написано", "yazan", "ditulis", "kirjoit", "作者", "執筆", "글쓴이", "συντάχθηκε",
    ];
    let label = label.trim().to_lowercase();
    LABELS.iter().any(|known| label.starts_with(known))
}

/// What a `<meta>` of this name, in lower case, says.
pub(super) fn metas(
    name: &str,
) -> impl Iterator<Item = &'static (&'static str, Field, Source, u8)> + use<'_> {
    static SORTED: LazyLock<Vec<(&str, Field, Source, u8)>> = LazyLock::new(|| {
        let mut metas = METAS.to_vec();
        metas.sort_by_key(|(name, ..)| *name);
        metas
    });
    let first = SORTED.partition_point(|(known, ..)| *known < name);
    SORTED[first..].iter().take_while(move |(known, ..)| *known == name)
}
