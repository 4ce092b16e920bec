/** Separates a web page's main text from its boilerplate. */

/** A page: its text, or its bytes, whose encoding is found out as browsers do. */
export type Html = string | ArrayBuffer | ArrayBufferView;

/** What a record has on request; `text` is always there. */
export type Format = 'text' | 'markdown' | 'html' | 'metadata' | 'links' | 'blocks' | 'posts';

/** What a block is on its page. */
export type Part =
  | 'title'
  | 'subtitle'
  | 'byline'
  | 'date'
  | 'body'
  | 'heading'
  | 'caption'
  | 'table'
  | 'code'
  | 'quote'
  | 'list'
  | 'post'
  | 'comment'
  | 'signature'
  | 'related'
  | 'navigation'
  | 'notice'
  | 'other';

/** How a page is read and what is said about it. */
export interface Options<F extends Format = Format> {
  /** Where the page came from: makes links absolute and tells which stay on its host. */
  url?: string | null;
  /** A built-in extractor (see `extractors()`), or one of your own as TOML. Default `strata`. */
  extractor?: string | { toml: string } | null;
  /** What to do with doubtful text; a number from 0.01 to 100 is the weight of recall. Default `balanced`. */
  favor?: 'precision' | 'balanced' | 'recall' | number | null;
  /** What the record shall have. Default `['text']`. */
  formats?: readonly F[] | null;
  /** Write where links lead, in Markdown and HTML. Default `false`. */
  links?: boolean | null;
  /** Write images that stand in the text, in Markdown and HTML. Default `false`. */
  images?: boolean | null;
  /** The shape of plain text: with lists, tables and code, or one line a block. Default `structured`. */
  text?: 'structured' | 'flat' | null;
  /** Parts of the page to write beside the main text. */
  include?: readonly Part[] | null;
  /** Parts of the page not to write; stronger than `include`. */
  exclude?: readonly Part[] | null;
  /** Begin Markdown with the metadata as YAML. Default `false`. */
  frontMatter?: boolean | null;
  /** Blocks say what speaks for and against them, by the trees of `strata`. */
  reasons?: boolean | null;
  /** What happens to text that the page hides: left out, taken as text, or blocks of its own. Default `drop`. */
  hidden?: 'drop' | 'keep' | 'mark' | null;
  /** The encoding that the server named; of pages that are bytes only. */
  charset?: string | null;
  /** Milliseconds that all of it may take; then the record is of what was done, and `limits` says so. Default: none. */
  deadlineMs?: number | null;
  /** Bytes of the page that are read; `limits` says where there were more. Default 128 MiB, at most 2 GiB. */
  maxBytes?: number | null;
  /** Columns at which text is wrapped to measure its density. Default 80. */
  width?: number | null;
}

/** What a page is for. */
export type PageType = 'article' | 'forum' | 'product' | 'listing' | 'collection' | 'documentation' | 'service';

/** A bound that a page ran into. */
export type Limit = 'bytes' | 'depth' | 'nodes' | 'deadline' | 'formatting' | 'memory';

/** A page as data: version 2 of the record that the command and the server write, too, without where the page came from. */
export interface PageRecord {
  version: 2;
  /** The title of the page, without the name of the site. */
  title: string | null;
  /** The main text, without the title; one line a block where `text` is `flat`. */
  text: string;
  /** The language of the main text, or the one that the page declares if the text says too little. */
  language: string | null;
  url?: string;
  /** The encoding that the page was decoded from. */
  encoding: string;
  /** The extractor that found the text; another one than asked for where that found next to nothing. */
  extractor: string;
  page_type?: PageType;
  /** The probability that at least nine tenths of the text are right. */
  confidence?: number;
  /** Words in the main text. */
  words: number;
  /** Words in all blocks. */
  page_words: number;
  /** Empty for nearly all pages. */
  limits: Limit[];
  blocks?: Block[];
  metadata?: Metadata;
  links?: Link[];
  markdown?: string;
  html?: string;
  posts?: Post[];
}

/** What is added by a format. */
interface Parts {
  text: 'text';
  markdown: 'markdown';
  html: 'html';
  metadata: 'metadata';
  links: 'links';
  blocks: 'blocks';
  posts: 'posts';
}

/** A record that has the formats asked for. */
export type RecordWith<F extends Format> = PageRecord & Required<Pick<PageRecord, Parts[F]>>;

/** One piece of the page's text and what became of it. */
export interface Block {
  text: string;
  /** Is it part of the main text? */
  content: boolean;
  class?: 'boilerplate' | 'content' | 'headline' | 'supplemental' | 'related' | 'comments';
  /** What it is on its page. */
  part: Part;
  /** What the filters found out: `title`, `end-of-text`, … */
  labels: string[];
  /** The probability of content. */
  score: number;
  counts: Counts;
  /** Words per full line of wrapped text. */
  text_density: number;
  /** The share of words in links. */
  link_density: number;
  /** `html/body/div/p` */
  path: string;
  /** A CSS selector for the element that holds the text. */
  selector: string;
}

/** What is counted in a text. */
export interface Counts {
  words: number;
  linked_words: number;
  tokens: number;
  full_lines: number;
  words_in_full_lines: number;
  word_chars: number;
  sentences: number;
  full_stops: number;
  upper_start: number;
  upper_all: number;
  dates: number;
  bars: number;
}

/** A value and where in the page it was found (`json-ld`, `open-graph`, `heading`, …). */
export interface Sourced {
  value: string;
  source: string;
}

/** What a page says about itself. */
export interface Metadata {
  title?: Sourced;
  authors?: Sourced[];
  /** ISO 8601. */
  published?: Sourced;
  /** ISO 8601. */
  modified?: Sourced;
  site?: Sourced;
  description?: Sourced;
  language?: Sourced;
  canonical?: Sourced;
  image?: Sourced;
  tags?: Sourced[];
  licence?: Sourced;
  page_type?: Sourced;
}

/** A link of the page. */
export interface Link {
  url: string;
  text: string;
  rel?: string;
  /** Index into `blocks`. */
  block?: number;
  in_content: boolean;
  /** Does it lead to the host of the page? Unknown where the page's address is. */
  internal?: boolean;
}

/** A post of a discussion, or a comment below a text. */
export interface Post {
  /** Its place in the discussion, from 1. */
  position: number;
  author?: string;
  /** ISO 8601 where the page has such a time, else the page's words. */
  time?: string;
  /** The position of the post that it answers, where the page shows that. */
  reply_to?: number;
  /** Is it the answer that the asker accepted? Only where the page shows that. */
  accepted?: boolean;
  /** Votes or likes, where the page shows them. */
  votes?: number;
  /** Without quotations of earlier posts, signature and user card. */
  text: string;
}

/** A page's record, every block with its decision, and what each step did. */
export interface Explanation<F extends Format = Format> {
  version: 1;
  record: RecordWith<Exclude<F, 'blocks'>>;
  blocks: (Block & { index: number; decided_by: { step: number; filter: string } | null })[];
  steps: {
    step: { filter: string; [parameter: string]: unknown };
    kept: number[];
    dropped: number[];
    removed: number[];
  }[];
}

/** A built-in extractor. */
export interface Extractor {
  name: string;
  /** One line on what it is for. */
  about: string;
  /** Where it is described. */
  paper: string;
  /** Does `favor` change it? */
  favor: boolean;
  /** To begin with where another one is wanted. */
  toml: string;
}

/** What is wrong with options, or why a page could not be worked on: one line. */
export class WebstrataError extends Error {
  name: 'WebstrataError';
}

/** The version of the package. */
export const version: string;

/**
 * Loads the WebAssembly module. Not needed in Node; in browsers and workers, await it once before anything else.
 * @param source The module or where it is, if it is not beside the package's files.
 */
export function init(
  source?: WebAssembly.Module | BufferSource | Response | URL | string | Promise<Response | WebAssembly.Module>,
): Promise<void>;

/**
 * The record of a page: its main text, and what else `formats` asks for.
 * @throws {WebstrataError} Only if options are wrong or memory is not enough; no page is refused.
 */
export function extract<const F extends Format = 'text'>(html: Html, options?: Options<F>): RecordWith<F>;

/** The same as a line of JSON, for those who write or send it. */
export function extractJSON(html: Html, options?: Options): string;

/** What became of each block of the page, and by which step. */
export function explain<const F extends Format = 'text'>(html: Html, options?: Options<F>): Explanation<F>;

/** The built-in extractors. */
export function extractors(): Extractor[];
