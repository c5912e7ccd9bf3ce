"""The page's own texts: both languages have every one, and every one that is asked for exists."""

from __future__ import annotations

import re
from importlib import resources

from pzvision.game.events import DECLARATIONS, GANG_KINDS
from pzvision.live.obs import KINDS

WEB = resources.files("pzvision.live") / "web"
SCRIPTS = {item.name: item.read_text(encoding="utf-8") for item in WEB.iterdir() if item.name.endswith(".js")}
KEY = re.compile(r'(?:^|[{,\s])(\w+): "(?:[^"\\]|\\.)*"')


def _keys(lang: str) -> list[str]:
    found = re.search(rf"^  {lang}: \{{\n(.*?)^  \}},", SCRIPTS["words.js"], re.DOTALL | re.MULTILINE)
    assert found is not None
    return KEY.findall(found.group(1))


def test_both_languages_say_the_same_things() -> None:
    chinese, english = _keys("zh"), _keys("en")
    assert len(chinese) > 100
    assert sorted(set(chinese)) == sorted(chinese), "a key twice"
    assert sorted(chinese) == sorted(english)


def test_every_text_asked_for_exists() -> None:
    keys = set(_keys("zh"))
    pages = [item.read_text(encoding="utf-8") for item in WEB.iterdir() if item.name in ("index.html",)]
    asked = {key for text in SCRIPTS.values() for key in re.findall(r'\bsay\("(\w+)"', text)}
    asked |= {key for text in pages for key in re.findall(r'data-say="(\w+)"', text)}
    asked |= set(re.findall(r'\["(h_\w+)",', SCRIPTS["app.js"]))
    asked |= {*DECLARATIONS, *GANG_KINDS, *(f"k_{kind}" for kind in KINDS)}
    assert len(asked) > 60
    assert asked - keys == set()


def test_nothing_is_fetched_from_elsewhere_and_nothing_becomes_markup() -> None:
    for name, text in SCRIPTS.items():
        own = text.replace("http://www.w3.org/2000/svg", "")
        assert "http://" not in own and "https://" not in own, name
        for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("):
            assert word not in text, f"{name}: {word}"
