"""Texts that may be a scenario: noise, words of the language in any order, and shipped files that were damaged."""

from pathlib import Path
from random import Random

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = [path.read_text("utf-8") for path in sorted((ROOT / "tests/samples").rglob("*.scn"))]
SHIPPED = [path.read_text("utf-8") for path in sorted((ROOT / "scenarios").glob("*.scn"))]
PHRASES = (
    "run r from base {", "sweep s { base = base", "vary {", "80 GB", "15T tokens", "interleaved(virtual_stages = 2)",
    "normal(1, 2)", "max(", "edition 2026", '"text"', "\n", "\t", "\r\n", "\x00", "é🚀", "\u2028",
)  # fmt: skip
SINGLE = """cluster model let require where import from as at because and or not in divides if then else doubling step
{ } [ ] ( ) = , . .. : + - * / ^ % $ <= == # " 0 -1 1e300 7:1 90% $2.10/gpu-hour mfu layout.tensor hopper.nodes base
hopper nodes true gpu tier experts precision bf16"""
WORDS = [*PHRASES, *SINGLE.split()]


def noise(random: Random, most: int = 120) -> str:
    """Characters of every plane, line ends and lone surrogates among them."""
    ranges = ((9, 13), (32, 126), (128, 0x2FF), (0x2000, 0x206F), (0xD800, 0xDFFF), (0x1F300, 0x1F6FF), (0, 0x10FFFF))
    return "".join(chr(random.randint(*random.choice(ranges))) for _ in range(random.randint(0, most)))


def words(random: Random, most: int = 30) -> str:
    """Words and signs of the language in any order."""
    return " ".join(random.choice(WORDS) for _ in range(random.randint(0, most)))


def damaged(random: Random, text: str, times: int = 4) -> str:
    """A text with pieces cut out, doubled, moved, or put in from elsewhere."""
    for _ in range(random.randint(1, times)):
        start = random.randint(0, len(text))
        end = min(len(text), start + random.randint(0, 40))
        piece = random.choice((*WORDS, text[start:end] * 2, text[end : end + 60], "", ""))
        text = text[:start] + piece + text[end:]
    return text


def any_text(random: Random) -> str:
    """One of all these."""
    match random.randrange(8):
        case 0:
            return noise(random)
        case 1 | 2:
            return words(random)
        case 3:
            return nested(random)
        case _:
            return damaged(random, random.choice(SAMPLES if random.random() < 0.8 else SHIPPED))


def nested(random: Random) -> str:
    """One piece over and over: brackets, blocks, operators, names, digits."""
    piece = random.choice((*WORDS, "layout {", "let a = (", "[1, ", "not ", "- ", "if a then ", "a.", "x = ", "9"))
    return random.choice(("", "let a = ", "run a {\n")) + piece * random.randint(1, random.choice((30, 300, 3000)))


def any_bytes(random: Random) -> bytes:
    """Bytes of a file: a text in some encoding, with some bytes changed, or none at all."""
    if random.random() < 0.2:
        return random.randbytes(random.randint(0, 200))
    data = bytearray(any_text(random).encode(random.choice(("utf-8", "utf-8", "utf-16", "utf-8-sig")), "surrogatepass"))
    for _ in range(random.choice((0, 0, 1, 5))):
        if data:
            data[random.randrange(len(data))] = random.randrange(256)
    return bytes(data)
