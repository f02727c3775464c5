# SPDX-License-Identifier: Apache-2.0
"""The site that tools/docs builds: pages load only what is in it, and its search finds, in a browser if there is one.

    site.py SITE"""
import functools
import html.parser
import http.server
import os
import sys
import threading
import time
import urllib.parse

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "view"))
import browser  # noqa: E402


class Loaded(html.parser.HTMLParser):
    """What a page loads by itself: scripts, styles, pictures."""

    def __init__(self):
        super().__init__()
        self.addresses = []

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if tag in ("script", "img", "iframe") and values.get("src"):
            self.addresses.append(values["src"])
        if tag == "link" and values.get("rel") in ("stylesheet", "shortcut icon", "icon"):
            self.addresses.append(values["href"])


def missing(site):
    found = []
    for folder, _, names in os.walk(site):
        for name in names:
            if not name.endswith(".html"):
                continue
            page = Loaded()
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                page.feed(file.read())
            for address in page.addresses:
                parts = urllib.parse.urlsplit(address)
                base = site if parts.path.startswith("/") else folder  # 404.html, which is shown for any path
                path = os.path.join(base, urllib.parse.unquote(parts.path).lstrip("/"))
                if parts.scheme == "data":
                    continue
                if parts.scheme or parts.netloc or not os.path.exists(path):
                    found.append(f"{os.path.relpath(os.path.join(folder, name), site)}: loads {address}, which is not in the site")
    return found


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


SEARCH = """(async () => {
  const box = document.getElementById("mkdocs-search-query"), results = document.getElementById("mkdocs-search-results");
  box.value = "adhesion";
  for (let k = 0; k < 300 && !results.querySelector("a"); ++k) {
    box.dispatchEvent(new KeyboardEvent("keyup"));
    await new Promise((done) => setTimeout(done, 100));
  }
  return [...results.querySelectorAll("a")].map((a) => a.getAttribute("href"));
})()"""


def in_browser(site):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=site))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    problems = []
    with browser.Browser() as page:
        for name in ("index.html", "docs/gallery.html"):
            page.open(f"http://127.0.0.1:{server.server_port}/{name}", wait="true")
            time.sleep(0.5)
            found = page.value(SEARCH)
            if not any("scenes/index.html" in address for address in found):
                problems.append(f"{name}: a search for adhesion finds {found}")
            problems += [f"{name}: {error}" for error in page.errors()]
    server.shutdown()
    return problems


def main():
    site = os.path.abspath(sys.argv[1])
    problems = missing(site)
    if not problems and browser.find():
        problems = in_browser(site)
    print(*problems, sep="\n", end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
