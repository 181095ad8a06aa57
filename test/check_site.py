"""Checks the site that docs/site.py builds, in Chromium: every page on a phone, and some on a dark screen, have no complaint,
fetch nothing from elsewhere and are no wider than their window; no link within the site is dead; the search finds a parameter. Without Chromium
the exit status is 77: left out.

$LAMBDAMART_SITE names the folder of the site, which stays then.
"""

import functools
import http.server
import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from urllib.parse import unquote, urlsplit

import browser
from report import Table
from sets import ROOT

WINDOWS = {"screen, dark": (1200, 900, "dark"), "phone": (390, 800, "light")}
ON_A_SCREEN = "index.html", "docs/parameters.html", "bench/quality/index.html"
LINKS = "[...document.querySelectorAll('a[href], img[src], link[href], script[src]')].map(e => e.href || e.src)"
ANCHORS = "[...document.querySelectorAll('[id], a[name]')].map(e => e.id || e.name)"
COLORS = """
new Promise(done => {
  const end = Date.now() + 10000
  const look = () => {
    const right = document.body.getAttribute('data-md-color-scheme') === '%s'
    right || Date.now() > end ? done(right) : setTimeout(look, 20)
  }
  look()
})
"""
SEARCH = """
new Promise(done => {
  const field = document.querySelector('.md-search__input'), end = Date.now() + 60000
  field.focus(); field.value = 'monotone_constraints'; field.dispatchEvent(new Event('keyup'))
  const look = () => {
    const found = [...document.querySelectorAll('.md-search-result__link')].map(e => e.href)
    found.length || Date.now() > end ? done(found) : setTimeout(look, 100)
  }
  look()
})
"""


def main() -> None:
    if browser.program() is None:
        print("NOTICE: left out: no Chromium (Debian package chromium)")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as name:
        site = Path(os.environ.get("LAMBDAMART_SITE") or name).resolve()
        subprocess.run([sys.executable, ROOT / "docs" / "site.py", site], check=True)
        table = Table("pages", "checked")
        with serve(site) as server, browser.Browser() as page:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            address = f"http://localhost:{server.server_port}/"
            links, anchors, wrong = visit(page, site, address)
            wrong += dead(site, address, links, anchors)
            page.open(address + "index.html", 1200, 900, "light")
            found = page.evaluate(SEARCH)
            server.shutdown()
        for fault in wrong:
            print("   ", fault)
        table.row(not wrong and len(anchors) > 25, "widths, complaints, requests", len(anchors))
        table.row(not wrong, "links", sum(len(all) for all in links.values()))
        table.row(any("trees.html" in url for url in found), "search", len(found))
        table.exit()


def serve(site: Path) -> http.server.ThreadingHTTPServer:
    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    return http.server.ThreadingHTTPServer(("localhost", 0), functools.partial(Quiet, directory=site))


def visit(page: browser.Browser, site: Path, address: str) -> tuple[dict[str, list[str]], dict[str, set[str]], list[str]]:
    """Opens all pages. Returns links and anchors by page, and a list of faults."""
    links, anchors, wrong = {}, {}, []
    page.call("Page.addScriptToEvaluateOnNewDocument", source="localStorage.clear()")  # where the theme keeps its colors
    for path in sorted(str(path.relative_to(site)) for path in site.rglob("*.html")):
        if path == "404.html":
            continue
        for window, (width, height, scheme) in WINDOWS.items():
            if scheme == "dark" and path not in ON_A_SCREEN:
                continue
            page.open(address + path, width, height, scheme)
            wide = page.evaluate("document.documentElement.scrollWidth")
            if wide > width:
                wrong.append(f"{path}, {window}: {wide} pixels wide")
            if scheme == "dark":
                page.evaluate("document.getElementById('__palette_1').click()")  # as a reader chooses it
            if not page.evaluate(COLORS % {"light": "default", "dark": "slate"}[scheme]):
                wrong.append(f"{path}, {window}: has other colors")
            foreign = [url for url in page.requests() if not url.startswith((address, "blob:"))]
            wrong += [f"{path}, {window}: {text}" for text in page.complaints() + foreign]
        links[path], anchors[path] = page.evaluate(LINKS), set(page.evaluate(ANCHORS))
    return links, anchors, wrong


def dead(site: Path, address: str, links: dict[str, list[str]], anchors: dict[str, set[str]]) -> list[str]:
    """Returns the links to files or anchors that do not exist."""
    wrong = []
    for page, urls in links.items():
        for url in urls:
            if not url.startswith(address):
                continue
            parts = urlsplit(url)
            target = unquote(parts.path).removeprefix("/") or "index.html"
            if not (site / target).exists():
                wrong.append(f"{page}: dead link to {target}")
            elif parts.fragment and target in anchors and unquote(parts.fragment) not in anchors[target] | {"__skip"}:
                wrong.append(f"{page}: no anchor {url}")
    return wrong


if __name__ == "__main__":
    main()
