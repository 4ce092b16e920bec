//! Random pages and random requests, the same for the same seed: what adapters are compared by.

use serde_json::{Map, Value, json};
use webstrata::request::{self, Field};
use webstrata::{Extractor, Part, Request};

/// A page and what is asked of it.
pub(crate) struct Case {
    /// The bytes of the page.
    pub(crate) page: Vec<u8>,
    /// The fields of the request by their names, as [`Field::name`] has them.
    pub(crate) request: Map<String, Value>,
}

impl Case {
    /// The case of this number.
    pub(crate) fn of(number: u64) -> Case {
        let mut random = Random(number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let page = page(&mut random);
        Case { page, request: fields(&mut random) }
    }

    /// The request without some of its fields, for adapters that have no such.
    pub(crate) fn without(mut self, names: &[&str]) -> Case {
        names.iter().for_each(|name| drop(self.request.remove(*name)));
        self
    }

    /// The record that the library makes, as it is written.
    pub(crate) fn record(&self) -> Value {
        let written = serde_json::to_string(&self.built().record(&self.page)).expect("plain data");
        // Not `to_value`, in which numbers of 32 bits have more digits.
        serde_json::from_str(&written).expect("JSON")
    }

    /// The request as the library has it.
    pub(crate) fn built(&self) -> Request {
        request(&self.request).expect("fields are valid")
    }
}

/// Numbers that look random (splitmix64).
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % end as u64) as usize
    }

    fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    /// Some of these, in any order, some of them twice.
    fn some(&mut self, all: &[&str], most: usize) -> Vec<String> {
        (0..self.below(most + 1)).map(|_| self.of(all).to_owned()).collect()
    }
}

const SENTENCES: [&str; 6] = [
    "The ferry runs every hour from Monday on, the harbour office said. ",
    "Der Hafenmeister sagte, dass die Fähre am Montag nicht fährt, weil das Wasser zu niedrig ist. ",
    "Паром ходит каждый час, сказал начальник порта, и билеты стоят столько же. ",
    "潮汐表はここにあります。フェリーは一時間ごとに出ます。",
    "เรือข้ามฟากออกทุกชั่วโมง ",
    "Tickets cost 3 coins & are sold <b>on board</b>, not at the <a href=\"/pier?a=1&amp;b=2\">pier</a>. ",
];

const PIECES: [&str; 56] = [
    "<p>",
    "</p>",
    "<div class=nav>",
    "<div class=\"post comment\">",
    "</div>",
    "<a href=\"/x?y=1&amp;z\">",
    "<a href=javascript:x()>",
    "</a>",
    "<table><tr><td>",
    "<th>head",
    "</table>",
    "<b><i>",
    "</b>",
    "<!--",
    "-->",
    "<script>",
    "</script>",
    "<style>p{}</style>",
    "<title>Tides | The Harbour Post</title>",
    "<h1>An hourly ferry</h1>",
    "<h2>",
    "<ul><li>",
    "<ol start=3><li>",
    "</ul>",
    "&eacute;&#x1F30A;",
    "&lt;img src=x onerror=x()&gt;",
    "<img src=a.png alt=sea>",
    "<figure><figcaption>The pier",
    "<pre><code>",
    "if ebb {\n  sail();\n}",
    "</code></pre>",
    "<svg><math>",
    "<math><mi>x</mi></math>",
    "<frameset>",
    "<meta charset=shift_jis>",
    "<meta name=author content='Jane Doe'>",
    "<meta property=article:published_time content=2025-09-04>",
    "<base href=\"//b.example/\">",
    "<link rel=canonical href=/canonical>",
    "<html lang=de>",
    "<body>",
    "<nav>Home</nav>",
    "<footer>Imprint</footer>",
    "<article>",
    "</article>",
    "<time datetime=2025-01-02>",
    "<div hidden>",
    "<noscript>",
    "<blockquote>",
    "<sup><a href=#n1>1</a></sup>",
    "<p id=n1>A note.",
    "<script type=application/ld+json>{\"@type\":\"Article\",\"headline\":\"Tides\"}</script>",
    "\0",
    "\u{feff}",
    "   ",
    "<",
];

fn page(random: &mut Random) -> Vec<u8> {
    let mut page = Vec::new();
    for _ in 0..random.below(70) {
        match random.below(14) {
            0 => page.extend((0..random.below(30)).map(|_| random.below(256) as u8)),
            1..6 => page.extend_from_slice(random.of(&SENTENCES).as_bytes()),
            _ => page.extend_from_slice(random.of(&PIECES).as_bytes()),
        }
    }
    page
}

const OWN: &str = "name = \"mine\"\nsteps = [\n  { filter = \"keep-all\" },\n  { filter = \"drop-short\", min-words = 3 },\n]\n";

const URLS: [&str; 4] = [
    "https://harbour.example/news/ferry.html",
    "http://forum.harbour.example/t/5?page=2#top",
    "https://harbour.example/fähre/",
    "no address",
];

/// Each field in about half of the requests, with any value that it takes; but for deadlines, which no two runs keep alike.
fn fields(random: &mut Random) -> Map<String, Value> {
    let mut fields = Map::new();
    for field in Field::ALL {
        if field == Field::DeadlineMs || random.one_in(2) {
            continue;
        }
        let value = match field {
            Field::Extractor if random.one_in(8) => json!(OWN),
            Field::Extractor => {
                let all = Extractor::builtin();
                json!(all[random.below(all.len())].name)
            }
            Field::Url => json!(random.of(&URLS)),
            Field::Favor => random
                .of(&[json!("precision"), json!("balanced"), json!("recall"), json!(0.5)]
                    .each_ref())
                .clone(),
            Field::Parts => json!(random.some(&webstrata::output::RecordPart::NAMES, 8)),
            Field::Links | Field::Images | Field::FrontMatter | Field::Reasons => {
                json!(random.one_in(2))
            }
            Field::Text => json!(random.of(&["structured", "flat"])),
            Field::Include | Field::Exclude => json!(random.some(&Part::NAMES, 3)),
            Field::Hidden => json!(random.of(&["drop", "keep", "mark"])),
            Field::Charset => json!(random.of(&["utf-8", "windows-1252", "koi8-r", "shift_jis"])),
            Field::MaxBytes => json!(random.below(4000) + 1),
            Field::Width => json!(random.below(200) + 1),
            _ => continue,
        };
        fields.insert(field.name().to_owned(), value);
    }
    if request(&fields).is_err() {
        // Not every extractor has a weight of recall.
        fields.remove(Field::Favor.name());
    }
    fields
}

fn request(fields: &Map<String, Value>) -> Result<Request, request::RequestError> {
    let mut builder = Request::builder();
    for (name, value) in fields {
        let value = match value {
            Value::String(text) => request::Value::Text(text),
            Value::Bool(flag) => request::Value::Flag(*flag),
            Value::Number(number) => request::Value::Number(number.as_f64().unwrap_or(f64::NAN)),
            Value::Array(list) => {
                let text = |item: &Value| item.as_str().unwrap_or_default().to_owned();
                request::Value::List(list.iter().map(text).collect())
            }
            _ => request::Value::Other("nothing that a field takes"),
        };
        builder.set(name, value)?;
    }
    builder.build()
}
