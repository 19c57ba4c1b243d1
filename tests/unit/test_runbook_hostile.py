"""A matrix is written by people and copied by others; no text in it becomes markup, syntax or a request."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from aps.render import FORMATS, View, runbook
from tests.unit import runbook_samples as samples
from tests.unit.test_render_hostile import HOSTILE, controls

ANY = st.text(st.characters(exclude_categories=()), min_size=1, max_size=40)
SIGNS = st.text(st.sampled_from("`*_[]()<>#|!~\\&;:\"'-+=.1 \n\t/{}%$x"), min_size=1, max_size=40)
# The loader refuses a blank text and strips every other.
TEXT = (ANY | SIGNS).map(str.strip).filter(bool)
NASTY = (
    *HOSTILE,
    '"]; click state_ready href "javascript:alert(1)"; x["',
    "a --> b ==> c",
    "end",
    "subgraph x",
    "`md` **b** <script>alert(1)</script> <img src=x onerror=alert(1)>",
    "</style></title></textarea><!-- --> ]]>",
    "$title ${css} {% x %}",
    "1. one",
    "- one\n- two\n\n# three",
    "```\nx\n````",
    "[a](https://x.y) <https://x.y>",
    "&lt;b&gt; &#60; #60; #quot;",
    "x" * 300,
    "\u4e2d\u6587" * 60,
)
VOID = {"meta", "br", "link", "img", "input", "hr"}
_TAGS = """
html head meta title style body a header p h1 h2 h3 dl div dt dd nav ol ul li b i main section span svg path rect text
circle code article figure figcaption pre footer
"""
TAGS = set(_TAGS.split())
_LINE = re.compile(
    r'(flowchart TD|end|classDef [\w :,-]+|subgraph overlays\["[^"]*"\]'
    r'|state_\w+\["[^"]*"\](:::\w+)?|state_\w+ (-->|==>)\|"[^"]*"\| (state_\w+|then_\w+\("[^"]*"\):::then))'
)
_LABEL = re.compile(r'"([^"]*)"')
_CALM = re.compile(r"(?:[\w ./,+-]|#\d+;|<br/>)*", re.ASCII)


class Balanced(HTMLParser):
    """The tags as they are opened and closed, the text, and every attribute."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def parsed(html: str) -> Balanced:
    parser = Balanced()
    parser.feed(html)
    parser.close()
    assert parser.open == []
    return parser


def test_the_page_asks_nobody_for_anything() -> None:
    html = runbook.book(samples.shipped(), "html")
    assert not re.search(r"https?://|src=|url\(|@import|<script|<link|javascript:", html)
    page = parsed(html)
    assert set(page.tags) == TAGS
    ids = [value for name, value in page.attributes if name == "id"]
    assert len(ids) == len(set(ids))
    links = [value for name, value in page.attributes if name == "href"]
    assert {str(link) for link in links} <= {f"#{one}" for one in ids}
    assert {f"#state-{one.state}" for one in samples.shipped().states} <= set(map(str, links))
    assert ("lang", "en") in page.attributes


def hostile_html(text: str) -> None:
    html = runbook.book(samples.filled(text), "html")
    assert controls(html) == set()
    page = parsed(html)
    assert set(page.tags) <= TAGS
    allowed = {"class", "id", "href", "lang", "charset", "name", "content", "aria-label", "role"}
    allowed |= {
        "aria-labelledby",
        "viewbox",
        "width",
        "height",
        "x",
        "y",
        "rx",
        "d",
        "cx",
        "cy",
        "r",
    }
    assert {name for name, _ in page.attributes} <= allowed
    assert all(str(value).startswith("#") for name, value in page.attributes if name == "href")


def hostile_mermaid(text: str) -> None:
    drawn = runbook.book(samples.filled(text), "mermaid")
    assert len(drawn.split("\n")) == len(runbook.book(samples.filled("x"), "mermaid").split("\n"))
    for line in drawn.split("\n"):
        assert _LINE.fullmatch(line.strip()), line
        assert all(_CALM.fullmatch(label) for label in _LABEL.findall(line))
        assert not re.search(r'["> ](end|graph|subgraph|style|click)["< ]', line.partition("[")[2])


_PARSER = MarkdownIt("commonmark").enable("table").enable("strikethrough")


def structure(text: str) -> list[str]:
    """The kinds of everything that markdown makes of it, but for plain text."""
    kinds = []
    for token in _PARSER.parse(text):
        kinds.append(token.type)
        kinds += [child.type for child in token.children or () if child.type != "text"]
    return kinds


def hostile_markdown(text: str) -> None:
    plain = runbook.book(samples.filled("x"), "markdown")
    book = runbook.book(samples.filled(text), "markdown")
    assert controls(book) == set()
    assert structure(book) == structure(plain)


@pytest.mark.parametrize("text", NASTY)
def test_a_hostile_text_stays_text_in_every_book(text: str) -> None:
    hostile_html(text)
    hostile_mermaid(text)
    hostile_markdown(text)


@settings(deadline=None, max_examples=60)
@given(text=TEXT)
def test_any_text_stays_text_in_a_page(text: str) -> None:
    hostile_html(text)


@settings(deadline=None, max_examples=60)
@given(text=TEXT)
def test_any_text_stays_text_in_a_picture(text: str) -> None:
    hostile_mermaid(text)


@settings(deadline=None, max_examples=60)
@given(text=TEXT)
def test_any_text_stays_text_in_a_document(text: str) -> None:
    hostile_markdown(text)


@settings(deadline=None, max_examples=40)
@given(text=TEXT, format=st.sampled_from(FORMATS))
def test_any_text_reaches_no_terminal_raw(text: str, format: str) -> None:
    book = samples.filled(text)
    for shown in (
        runbook.show(book, format, View()),  # type: ignore[arg-type]
        runbook.explain(book, book.states[1], format, View()),  # type: ignore[arg-type]
    ):
        assert controls(shown) == set()


@settings(deadline=None, max_examples=40)
@given(text=TEXT)
def test_no_text_of_the_picture_leaves_its_box(text: str) -> None:
    from aps.render.runbook import measure

    for width in (40.0, 200.0):
        for style in (measure.TITLE, measure.CODE, measure.WORDS):
            lines = measure.wrapped(text, width, style)
            assert all(len(line) <= 1 or measure._width(line, style) <= width for line in lines)
