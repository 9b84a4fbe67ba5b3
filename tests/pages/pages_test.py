#!/usr/bin/env python3
"""The pages of `culprit slice --html` and `culprit why --html` in a browser: what is marked, where clicks lead, that
nothing is asked of the network.  Usage: pages_test.py BIN_DIRECTORY
"""

import os
import pathlib
import subprocess
import sys
import tempfile

from browser import BROWSER, Browser

HERE = pathlib.Path(__file__).resolve().parent
SKIPPED = 77


def check(holds, what):
    if not holds:
        sys.exit(f"pages_test: {what}")


def line_of(text):
    lines = (HERE / "orders.c").read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


def check_slice(browser, page):
    browser.open(page)
    check(all(browser.ask(f"document.querySelector('#f0l{line_of(text)}').classList.contains('slice')")
              for text in ("int price", "price = -5", "total +=")), "a line of the slice is not marked")
    check(not browser.ask(f"document.querySelector('#f0l{line_of('printf')}')?.classList.contains('slice')"),
          "printf is marked, and is not in the slice")
    check("<wrong>" in browser.ask(f"document.querySelector('#f0l{line_of('wrong')}').textContent"),
          "text of the program is taken for markup")
    check(browser.ask("document.querySelector('tr.here').id") == f"f0l{line_of('total != 60')}",
          "the page does not start at the criterion")
    # From the use to the value's definition, there to what it was made of, and back.
    browser.click("#uses a")
    check(browser.ask("document.querySelector('tr.here').id") == f"f0l{line_of('total +=')}",
          "the first dependence of the test is not the sum: " + browser.ask("document.querySelector('tr.here').id"))
    check("#3" in browser.ask("document.querySelector('#now strong').textContent"), "it is not the last execution")
    browser.click("#now a")
    check("#2" in browser.ask("document.querySelector('#now strong').textContent"), "'earlier here' does not lead there")
    browser.ask("history.back()")
    browser.ask("new Promise(done => setTimeout(done, 100))")
    check("#3" in browser.ask("document.querySelector('#now strong').textContent"), "the browser's back does not lead back")
    browser.click(f"#f0l{line_of('price = -5')}")
    check(browser.ask("document.querySelector('tr.here').id") == f"f0l{line_of('price = -5')}",
          "a click on a marked line does not choose it")
    check(browser.requests == [page.resolve().as_uri()], f"the page asks for more than itself: {browser.requests}")


def check_values(browser, page):
    browser.open(page)
    browser.click(f"#f0l{line_of('price = -5')}")
    check("price = -5" in browser.ask("document.querySelector('#now .value').textContent"), "the page does not tell what was stored")
    browser.ask(f"document.querySelector('#f0l{line_of('int price =')}').dispatchEvent(new MouseEvent('mouseover', {{bubbles: true}}))")
    title = browser.ask(f"document.querySelector('#f0l{line_of('int price =')}').title")
    check(title == "price = 10",
          f"a line does not tell on hover what it gave last, but {title!r}")


def check_looks(browser):
    """What is marked is seen: the failing line has a ground of its own, a suspect another, and the text can be read."""
    grounds = {}
    for name in ("tr.failure", "tr.suspect:not(.failure)", "tr:not(.failure):not(.suspect):not(.here)"):
        box = browser.box(name + " td:last-child")
        picture = browser.picture()
        check(0 <= box[0] and box[2] <= picture.width, f"{name} leaves the window: {box} of {picture.width}")
        grounds[name] = picture.ground(*box)
        if name == "tr.failure":
            colours = picture.colours(*box)
            contrast = max(sum(abs(a - b) for a, b in zip(colour, grounds[name])) for colour in colours)
            check(contrast > 250, f"the failing line's text can hardly be read: {contrast} of 765")
    check(len(set(grounds.values())) == 3, f"what is marked looks like what is not: {grounds}")
    check(browser.ask("document.documentElement.scrollWidth <= innerWidth"), "the page is wider than its window")


def check_why(browser, page):
    browser.open(page)
    check_looks(browser)
    browser.open(page)
    check(browser.ask("document.querySelectorAll('tr.failure').length") == 1, "not one line is marked as the failure")
    check(browser.ask("document.querySelectorAll('tr.suspect').length") >= 1, "no suspect is marked")
    target = browser.ask("document.querySelector('ol a').getAttribute('href').slice(1)")
    browser.click("ol a")
    check(browser.ask("document.querySelector('tr.here').id") == target, "a click on a suspect does not lead to its line")
    check(browser.requests == [page.resolve().as_uri()], f"the page asks for more than itself: {browser.requests}")


def main():
    if BROWSER is None:
        print("pages_test: chromium-headless-shell is not installed: run tools/install-deps --tests")
        sys.exit(SKIPPED)
    binaries = pathlib.Path(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="culprit-pages-") as name:
        folder = pathlib.Path(name)
        environment = dict(os.environ)
        environment.setdefault("CULPRIT_CACHE", str(folder / "cache"))
        program = folder / "orders"
        subprocess.run([binaries / "culprit-cc", "-O2", "-g", HERE / "orders.c", "-o", program], check=True)

        def culprit(*words):
            subprocess.run([binaries / "culprit", *words, "--", program], env=environment, check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

        culprit("slice", "--at", f"orders.c:{line_of('total != 60')}", "--html", folder / "slice.html")
        culprit("why", "--html", folder / "why.html")
        subprocess.run([binaries / "culprit", "trace", "--values", "-o", folder / "trace", "--", program], env=environment,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        subprocess.run([binaries / "culprit", "slice", folder / "trace", "--at", f"orders.c:{line_of('total != 60')}", "--html",
                        folder / "values.html"], env=environment, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with Browser() as browser:
            check_slice(browser, folder / "slice.html")
            check_values(browser, folder / "values.html")
            check_why(browser, folder / "why.html")


if __name__ == "__main__":
    main()
