// Rules WEB6 and WEB8: the text of pages in every encoding, and what broken and huge ones cost.
import assert from "node:assert/strict";
import { test } from "node:test";
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import fc from "fast-check";
import { limits } from "../../server/web_tools/limits.ts";
import { hostileCount, pageCharacters, type Cost } from "./web-pages-reader.ts";
import { decode } from "../../server/web_tools/page/charset.ts";
import { plainText, readHtml } from "../../server/web_tools/page/html.ts";

const { signal } = new AbortController();
const url = "https://a.example/dir/page";
const read = (html: string, charactersMax = 100_000) =>
  readHtml(html, { url, charactersMax, signal });
const textOf = async (html: string) => (await read(html)).text;

test("[WEB6] elements become text in the manner of Markdown", async () => {
  const shown: [html: string, text: string][] = [
    ["a  b\n\t c&nbsp;&nbsp;d", "a b c d"],
    ["<h1>A</h1><h3>B <i>c</i></h3>d", "# A\n\n### B c\n\nd"],
    ["<p>a<p>b<div>c</div>d<br>e<hr>f", "a\n\nb\nc\nd\ne\n\n---\n\nf"],
    ["<ul><li>a<li>b<ol><li>c</li><li>d</ol></ul>e", "- a\n- b\n  1. c\n  2. d\n\ne"],
    ["<table><tr><th>a<th>b<tr><td>c<td>d</table>", "a | b\nc | d"],
    ["<pre>a\n  b &lt;c></pre>d", "```\na\n  b <c>\n```\n\nd"],
    ["<a href='x?a=1&amp;b=2'>to <b>x</b> </a>now", "[to x](https://a.example/dir/x?a=1&b=2) now"],
    ["<a href=/1><h2>A</h2><p>b</p></a>c", "[A b](https://a.example/1)\n\nc"],
    ["<a href=/1>a<a href=/2>b</a></a>c", "[a](https://a.example/1)[b](https://a.example/2)c"],
    ["<base href='//b.example/c/'><a href=d>e</a>", "[e](https://b.example/c/d)"],
    ["<a href='javascript:x'>a</a><a href='#b'>b</a><a name=c>c</a><a href=d></a>", "abc"],
    [`<a href="${"x".repeat(3_000)}">long</a>`, "long"],
    ["<img alt='a picture' src=x><img src=y>", "a picture"],
    ["a<script>b<</script><style>c</style><svg>d<svg>e</svg>f</svg><template>g</template>h", "ah"],
    ["a<!-- <p>b --><noscript>c</noscript><button>d</button>", "acd"],
    ["&lt;b&gt;&#x20ac;&copy&bogus;", "<b>€©&bogus;"],
  ];
  for (const [html, text] of shown) assert.equal(await textOf(html), text, html);
  const titled = await read(
    "<title> Of\n&amp; on </title><svg><title>no</title></svg><title>late</title>",
  );
  assert.deepEqual(titled, { title: "Of & on", text: "", isCut: false });
  assert.equal(plainText("a <em>b</em>\n&#39;c"), "a b 'c");
});

test("[WEB6] text is read in the encoding that is named, the first of three that say it", () => {
  const decoded = (bytes: Buffer, charset?: string, isHtml = true) =>
    decode({ bytes, charset, isHtml });
  const latin = (text: string) => Buffer.from(text, "latin1");
  const korean = Buffer.from([0xc7, 0xd1, 0xb1, 0xdb]);
  assert.equal(decoded(korean, "euc-kr"), "한글");
  assert.equal(
    decoded(Buffer.concat([latin('<meta charset="EUC-KR">'), korean])).slice(-2),
    "한글",
  );
  const equivalent = '<META http-equiv=content-type content="text/html; charset=euc-kr">';
  assert.equal(decoded(Buffer.concat([latin(equivalent), korean])).slice(-2), "한글");
  const xml = latin('<?xml version="1.0" encoding="EUC-KR"?>');
  assert.equal(decoded(Buffer.concat([xml, korean]), undefined, false).slice(-2), "한글");
  assert.equal(decoded(latin("<meta charset=euc-kr>é"), "iso-8859-1").at(-1), "é");
  const marked = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from("é", "utf16le")]);
  assert.equal(decoded(marked, "iso-8859-1"), "é");
  assert.equal(decoded(Buffer.from("\uFEFFé"), "euc-kr"), "é");
  assert.equal(decoded(Buffer.from("é")), "é");
  assert.equal(decoded(latin("é")), "é", "windows-1252, as browsers take it");
  assert.equal(decoded(latin("aé"), undefined, false), "a\uFFFD");
  assert.equal(decoded(Buffer.from("é"), "no-such-thing"), "é");
  assert.equal(decoded(Buffer.from("<meta charset=utf-16>é")).at(-1), "é");
  assert.equal(decoded(Buffer.from([0x61, 0xff, 0x62]), "utf-8"), "a\uFFFDb");
  const far = Buffer.concat([latin(`<!--${" ".repeat(2_000)}--><meta charset=euc-kr>`), korean]);
  assert.equal(decoded(far).endsWith("한글"), false, "too far from the beginning");
});

test("[WEB8] ten megabytes of anything cost time and memory by their length alone", async () => {
  // A tree of any of them would not fit: it took 200 to 2,000 MB.
  const resourceLimits = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16 };
  const reader = new Worker(new URL("web-pages-reader.ts", import.meta.url), { resourceLimits });
  const ended = once(reader, "exit");
  const costs: Cost[] = [];
  reader.on("message", (cost: Cost) => void costs.push(cost));
  assert.deepEqual(await ended, [0]);
  assert.equal(costs.length, hostileCount);
  const steps = Math.floor(pageCharacters / limits.htmlCharactersAtOnce);
  for (const { what, ms, turns, shown } of costs) {
    // Each takes 0.1 to 2 seconds, up to 20 ms at a time; a cost that grew with the square would take hours.
    assert.ok(ms < 20_000, `${what}: ${ms} ms`);
    assert.ok(turns >= steps, `${what}: other work had ${turns} turns`);
    assert.ok(shown <= 100_600, `${what}: ${shown} characters`);
  }
});

test("[WEB8] no page is too broken, and where it is taken apart does not show", async () => {
  const piece = fc.oneof(
    fc.constantFrom(..."<>/\"'=&;!-[]? \n\0".split("")),
    fc.constantFrom(
      "<a href=",
      "</a>",
      "<main>",
      "</main>",
      "<pre>",
      "</pre>",
      "<ul>",
      "<ol>",
      "<li>",
    ),
    fc.constantFrom(
      "<title>",
      "</title>",
      "<script>",
      "</script>",
      "<svg>",
      "</svg>",
      "<table>",
      "<td>",
    ),
    fc.constantFrom(
      "<!--",
      "-->",
      "<![CDATA[",
      "]]>",
      "<!doctype",
      "<?xml",
      "&#x",
      "&amp",
      "<base href=//",
    ),
    fc.string({ unit: "grapheme", maxLength: 6 }),
  );
  const page = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(""));
  const property = fc.asyncProperty(
    page,
    fc.integer({ min: 1, max: 200 }),
    fc.nat({ max: 100 }),
    async (html, charactersMax, ahead) => {
      const { text } = await read(html, charactersMax);
      assert.ok(text.length <= charactersMax);
      const border = " ".repeat(limits.htmlCharactersAtOnce - ahead);
      assert.deepEqual(await read(border + html), await read(html));
    },
  );
  await fc.assert(property, { numRuns: 300 });
});
