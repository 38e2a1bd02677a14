"""Prints the findings of analyzers in the files of folder ARGV[1] but those that ARGV[2] lists; exit 1 where any is left."""
import glob
import os
import re
import sys

LINE = re.compile(r"(\S+?):\d+:\d+: (?:fatal )?(?:warning|error|portability|performance): (.*)")


def main(folder, exceptions):
    with open(exceptions, encoding="utf-8") as f:
        known = {tuple(line.split()) for line in f if line.strip() and not line.startswith("#")}
    found = set()
    for path in glob.glob(os.path.join(folder, "*")):
        with open(path, encoding="utf-8", errors="replace") as f:
            for line in f:
                m = LINE.match(line)
                if not m:
                    continue
                file = m[1][m[1].index("src/"):] if "src/" in m[1] else m[1]
                # the check is in brackets at the end: [a,b] or [CWE-1] [-Wc]
                checks = {c for b in re.findall(r"\[([^][]+)\]", m[2]) for c in b.split(",")}
                if not any((file, c) in known for c in checks):
                    found.add(line.strip())
    for line in sorted(found):
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
