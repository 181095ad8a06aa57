"""Builds the pages as a static site with search: python3 docs/site.py FOLDER

The pages are README.md, docs/*.md, and those beside the benchmarks and tests. Links to files that are no pages go to the
repository. MkDocs with the theme Material is installed by test/environment.py; docs/site.yml has the order of the
pages. Nothing of the site is committed, and nothing is fetched from elsewhere when it is read.
python3 -m http.server --directory FOLDER shows it; without a server all but the search works.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "test"))
import environment  # noqa: E402

REPOSITORY = "https://github.com/lambdamart/lambdamart/blob/main/"
PAGES = ["*.md", "docs/*.md", "docs/*.png", "docs/site.css", "bench/**/*.md", "bench/results/*.svg", "test/*.md", "test/hostile/*.md"]
LINK = re.compile(r"(?<=\]\()([^)\s#]+)(?=[)#])")


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    python = environment.python_with(ROOT / "test" / "requirements-site.txt")
    with tempfile.TemporaryDirectory() as source:
        copy_pages(Path(source))
        variables = {"SITE_SOURCE": source, "SITE_FOLDER": str(Path(sys.argv[1]).resolve()), "NO_MKDOCS_2_WARNING": "1"}
        build = [python, "-m", "mkdocs", "build", "--quiet", "--config-file", ROOT / "docs" / "site.yml"]
        sys.exit(subprocess.run(build, env=os.environ | variables).returncode)


def copy_pages(folder: Path) -> None:
    """Copies the pages, so that they lie beside each other as in the repository."""
    pages = {path.relative_to(ROOT) for pattern in PAGES for path in ROOT.glob(pattern)}
    for page in pages:
        copy = folder / page
        copy.parent.mkdir(parents=True, exist_ok=True)
        if page.suffix == ".md":
            copy.write_text(LINK.sub(lambda m: target(page, m[1], pages), spaced((ROOT / page).read_text())))
        else:
            shutil.copy(ROOT / page, copy)


def target(page: Path, link: str, pages: set[Path]) -> str:
    """Returns the address of a link: pages as they are, other files in the repository."""
    if "://" in link:
        return link
    file = Path(os.path.normpath(PurePosixPath(page).parent / link))
    return link if file in pages else REPOSITORY + str(file)


def spaced(text: str) -> str:
    """Puts blank lines before tables, lists and indented code that follow a line of text, as GitHub needs none."""
    lines, out, fenced = text.splitlines(), [], False
    for line in lines:
        before = out[-1] if out else ""
        fenced ^= line.startswith("```")
        if not fenced and before.strip() and begins(line) and not begins(before) and not before.startswith((" ", "|", ">")):
            out.append("")
        out.append(line)
    return "\n".join(out) + "\n"


def begins(line: str) -> bool:
    return line.startswith(("|", "- ", "* ", "    ")) or re.match(r"\d+\. ", line) is not None


if __name__ == "__main__":
    main()
