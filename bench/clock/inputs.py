"""Writes a benchmark's input, the same on every machine: inputs.py text MIB | proteins COUNT | catalogue COUNT."""

import random
import sys


def text(mebibytes):
    """Sentences of made-up words, common ones more often, with numbers in between."""
    source = random.Random(1)
    syllables = [c + v for c in "bcdfghklmnprstvw" for v in "aeiou"]
    words = ["".join(source.choices(syllables, k=source.randint(1, 4))) for _ in range(20000)]
    weights = [1 / (rank + 3) for rank in range(len(words))]
    left = mebibytes * 1024 * 1024
    while left > 0:
        line = " ".join(source.choices(words, weights, k=2000)).replace(" ba ", f" {source.random()}\n")[:left]
        sys.stdout.write(line)
        left -= len(line)


def proteins(count):
    """FASTA sequences of amino acids in about their natural frequencies."""
    source = random.Random(2)
    amino, weights = "ALGVEKSIDTRPNFQYHMCW", (82, 97, 71, 69, 67, 58, 66, 59, 54, 53, 55, 47, 40, 39, 39, 29, 23, 24, 14, 11)
    for number in range(count):
        print(f">sequence{number}")
        print("".join(source.choices(amino, weights, k=source.randint(100, 600))))


def catalogue(count):
    """An XML document of items with attributes, entities, comments and nested notes."""
    source = random.Random(3)
    syllables = [c + v for c in "bdfklmnprstvxz" for v in "aeiou"]
    makers = ["".join(source.choices(syllables, k=3)).title() for _ in range(200)]
    print('<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE catalogue [<!ENTITY shop "Culprit &amp; Sons">]>\n<catalogue>')
    for number in range(count):
        name = "".join(source.choices(syllables, k=4))
        note = " ".join("".join(source.choices(syllables, k=3)) for _ in range(12))
        print(f'  <item id="i{number}" stock="{source.randrange(99)}">\n    <name>{name}</name>'
              f"<maker>{source.choice(makers)}</maker>\n    <price>{source.randrange(10000) / 100}</price>\n"
              f"    <note>{note} &lt;b&gt; &#233; &shop;</note><!-- {name} -->\n  </item>")
    print("</catalogue>")


if __name__ == "__main__":
    {"text": text, "proteins": proteins, "catalogue": catalogue}[sys.argv[1]](int(sys.argv[2]))
