//! Pages that would run something, were they written as they are. `ATTACK` is what would run.

/// What stands in a page that would run something.
#[rustfmt::skip]
pub(crate) const PAGES: &[&str] = &[
    "<img src=x onerror=ATTACK>", "<p onclick=ATTACK>a", "<svg onload=ATTACK>a</svg>", "<body onload=ATTACK>a",
    "<a href=javascript:ATTACK>a</a>", "<a href='JaVaScRiPt:ATTACK'>a</a>", "<a href='java\nscript:ATTACK'>a</a>",
    "<a href='java&Tab;script:ATTACK'>a</a>", "<a href='&#106;avascript:ATTACK'>a</a>",
    "<a href='&#x6A&#x61vascript&colon;ATTACK'>a</a>", "<a href='\u{1}javascript:ATTACK'>a</a>",
    "<a href=' \n javascript:ATTACK'>a</a>", "<a href='vbscript:ATTACK'>a</a>", "<a href='data:text/html,ATTACK'>a</a>",
    "<img src='data:image/svg+xml,ATTACK'>", "<img src=javascript:ATTACK>", "<img src=i srcset='javascript:ATTACK 2x'>",
    "<script>ATTACK</script>", "<scr<script>ipt>ATTACK</script>", "<style>@import'ATTACK'</style>",
    "<p style='background:url(javascript:ATTACK)'>a", "<iframe src=javascript:ATTACK></iframe>",
    "<iframe srcdoc='<script>ATTACK</script>'></iframe>", "<object data=javascript:ATTACK></object>",
    "<embed src=javascript:ATTACK>", "<form action=javascript:ATTACK><button formaction=javascript:ATTACK>a</button></form>",
    "<meta http-equiv=refresh content='0;url=javascript:ATTACK'>", "<base href='javascript:ATTACK//'><a href=x>a</a>",
    "<link rel=stylesheet href=javascript:ATTACK>", "<math href=javascript:ATTACK><mi>a</mi></math>",
    "<svg><a xlink:href=javascript:ATTACK><text>a</text></a></svg>", "<svg><script>ATTACK</script></svg>",
    "<svg><style><img src=x onerror=ATTACK></style></svg>",
    "<math><mtext><table><mglyph><style><img src=x onerror=ATTACK>", "<template><img src=x onerror=ATTACK></template>",
    "<noscript><p title=\"</noscript><img src=x onerror=ATTACK>\">a</noscript>",
    "<form><math><mtext></form><form><mglyph><style></math><img src onerror=ATTACK>",
    "<p title='\"><img src=x onerror=ATTACK>'>a", "<abbr title=\"--><script>ATTACK</script>\">a</abbr>",
    "<img alt='\"onerror=ATTACK ' src=x>", "<img src='x\"onerror=ATTACK'>", "<a href='x\"onclick=ATTACK'>a</a>",
    "<a/onclick=ATTACK/href=x>a", "<img src=x onerror=ATTACK", "<p><img src='x onerror=ATTACK", "<x-y onclick=ATTACK>a",
    "<!--><img src=x onerror=ATTACK>-->", "<![CDATA[<img src=x onerror=ATTACK>]]>", "<pre class='language-\"onclick=ATTACK'>a</pre>",
    "<textarea></textarea><img src=x onerror=ATTACK></textarea>", "<title><img src=x onerror=ATTACK></title>",
    "<table background=javascript:ATTACK><tr><td>a</table>", "<video src=x onerror=ATTACK><source onerror=ATTACK></video>",
    "<details ontoggle=ATTACK open>a</details>", "<p lang='\"onclick=ATTACK'>a", "<td colspan='1\"onclick=ATTACK'>a",
    "<math><annotation encoding=application/x-tex>&lt;img src=x onerror=ATTACK></annotation><mi>a</mi></math>",
    "<script type=math/tex><img src=x onerror=ATTACK></script>",
    "<script type=math/tex>[a](javascript:ATTACK) <javascript:ATTACK></script>", "&lt;javascript:ATTACK>",
    "[a](javascript:ATTACK)", "[a] (javascript:ATTACK)", "<p>[a]<b> ( <i>javascript:ATTACK)", "<script type=math/tex>[a] (javascript:ATTACK)</script>",
    "[a]: javascript:ATTACK\n<p>[a]", "<img src=x alt='](javascript:ATTACK)'>",
    "<p>![a]<a href=x>(javascript:ATTACK)</a>", "<p>[<b>a</b>](javascript:ATTACK)", "<p>[a]<span>(javascript:ATTACK)</span>",
    "&lt;img src=x onerror=ATTACK>", "&lt;script>ATTACK&lt;/script>", "<plaintext><img src=x onerror=ATTACK>",
    "<xmp><img src=x onerror=ATTACK></xmp>", "<noembed><img src=x onerror=ATTACK></noembed>",
    // Addresses that would end the place they are written in.
    "<a href='x) [b](javascript:ATTACK'>a</a>", "<a href='x\n[b](javascript:ATTACK)'>a</a>", "<a href='<javascript:ATTACK>'>a</a>",
    "<a href='x \"javascript:ATTACK\"'>a</a>", "<a href='x\\) [b](javascript:ATTACK'>a</a>", "<a href='`'>a</a>`<img src=x onerror=ATTACK>`",
    "<a href='x&rpar;&lsqb;b&rsqb;&lpar;javascript&colon;ATTACK'>a</a>", "<img src='x) ![b](javascript:ATTACK'>",
    "<img src=x alt='a\n\n<img src=x onerror=ATTACK>'>", "<img src=x alt='`' title='` onerror=ATTACK'>", "<a href=x title='\n\n&lt;script>ATTACK'>a</a>",
    "<a href='feed:javascript:ATTACK'>a</a>", "<a href='view-source:javascript:ATTACK'>a</a>", "<a href='blob:ATTACK'>a</a>",
    "<a href='file:///ATTACK'>a</a>", "<a href='\u{ff4a}avascript:ATTACK'>a</a>", "<a href='javascript\u{a0}:ATTACK'>a</a>",
    "<a href='\u{feff}javascript:ATTACK'>a</a>", "<a href='\u{200b}javascript:ATTACK'>a</a>", "<img src='\u{feff}javascript:ATTACK'>",
    "<a href='java\u{200d}script:ATTACK'>a</a>", "<a href='\u{3000}\u{2060}javascript:ATTACK'>a</a>",
    "<a href='java\u{0}script:ATTACK'>a</a>", "<a href='//javascript:ATTACK'>a</a>", "<a href='x' href='javascript:ATTACK'>a</a>",
    // Text that would be a link, a definition or HTML.
    "&lt;JAVASCRIPT:ATTACK&gt;", "<p>[a][b]<p>[b]: javascript:ATTACK", "<p>[b]: &lt;javascript:ATTACK&gt; 'x'", "<p>![a](javascript:ATTACK)",
    "<p>[a](&lt;javascript:ATTACK>)", "<p>[a\\](javascript:ATTACK)", "<p>[a<br>](javascript:ATTACK)", "<p>[<a href=x>a](javascript:ATTACK)</a>",
    "<p>&lt;<b>script</b>>ATTACK", "<p>&lt;<br>script>ATTACK", "<p>&amp;lt;script>ATTACK", "<p>&lt;!-- --><img src=x onerror=ATTACK>",
    "<p>&lt;![CDATA[ATTACK]]>", "<p>&lt;?php ATTACK ?>", "<p>&lt;/p>&lt;img src=x onerror=ATTACK>", "<p>&lt;iframe/src=javascript:ATTACK>",
    "<li>&lt;div onclick=ATTACK>", "<blockquote>&lt;script>ATTACK", "<h2>&lt;script>ATTACK</h2>", "<dt>&lt;script>ATTACK<dd>&lt;script>ATTACK",
    "<table><tr><th>&lt;script>ATTACK|<td>&lt;img src=x onerror=ATTACK><tr><td>[a](javascript:ATTACK)<td>`|`&lt;script></table>",
    // Code that would end its fence.
    "<pre>```\n&lt;img src=x onerror=ATTACK></pre>", "<pre>````\n&lt;script>ATTACK</pre>", "<pre>~~~\n```\n\n&lt;script>ATTACK</pre>",
    "<pre>\n\n</pre>&lt;script>ATTACK", "<code>`</code>&lt;img src=x onerror=ATTACK><code>`</code>", "<code>a``</code>&lt;script>ATTACK",
    "<pre class='language-x`\n&lt;script>ATTACK'>a</pre>", "<pre data-lang='x\n```\n<script>ATTACK'>a</pre>", "<ul><li><pre>```\n&lt;script>ATTACK</pre></ul>",
    "<blockquote><pre>```\n> ```\n&lt;script>ATTACK</pre></blockquote>",
    // Footnotes and formulas.
    "<p>a<sup><a href=#fn1>]: javascript:ATTACK</a></sup><p id=fn1>[a](javascript:ATTACK)", "<p>a<sup><a href=#fn1>1</a></sup><p id=fn1>&lt;script>ATTACK",
    "<p>[^1]<p>[^1]: &lt;script>ATTACK", "<script type=math/tex>$&lt;script>ATTACK</script>", "<script type=math/tex>x$ <img src=x onerror=ATTACK> $</script>",
    "<script type='math/tex; mode=display'>\n\n<img src=x onerror=ATTACK>\n\n</script>",
    "<math><mtext>&lt;img src=x onerror=ATTACK></mtext></math>", "<math><semantics><annotation encoding=application/x-tex>`[a](javascript:ATTACK)`</annotation></semantics></math>",
    // Parsers that disagree.
    "<svg></p><style><a id=\"</style><img src=x onerror=ATTACK>\">", "<math></p><style><!--</style><img src=x onerror=ATTACK>-->",
    "<select><noembed></select><script>x='ATTACK'<noembed>", "<p title=`'<img src=x onerror=ATTACK>'`>a", "<p title='`><img src=x onerror=ATTACK>`'>a",
    "<table><td><math><mi></table><img src=x onerror=ATTACK>", "<frameset onload=ATTACK><frame src=javascript:ATTACK></frameset>",
    "<marquee onstart=ATTACK>a</marquee>", "<isindex action=javascript:ATTACK>", "<input autofocus onfocus=ATTACK>", "<keygen autofocus onfocus=ATTACK>",
    "<audio src onerror=ATTACK>a</audio>", "<picture><source srcset='x 1x, javascript:ATTACK 2x'><img src=x></picture>",
    "<area href=javascript:ATTACK>", "<a ping=javascript:ATTACK href=x target=_blank>a</a>", "<q cite=javascript:ATTACK>a</q>", "<del cite=javascript:ATTACK>a</del>",
];

/// The page around it.
pub(crate) fn page(attack: &str) -> String {
    format!("<p>Before it.</p>{attack}<p>Behind it.</p>")
}
