"""Random strings that are hard on a tokenizer."""
import random

SPACES = [" ", "  ", "   ", "\t", "\n", "\r\n", "\r\n\r\n", "\u00a0", "\u0085", "\u2003", "\u3000", "\u200b", "\v", "\f",
          "\x1c", "\u180e", "\u2028"]
PIECES = ["'s", "'t", "'re", "'ve", "'m", "'ll", "'d", "'S", "''s", "\u2019s", "  7", "   42", "x  7",
          "e\u0301", "a\u0308\u0323", "\u0bcd", "\u0e33", "\u1100\u1161\u11a8", "\u200d", "\ufe0f", "\ufeff",
          "👍🏽", "👩‍👩‍👧", "🇩🇪", "½", "²", "٣", "Ⅷ", "四", "①", "𝟙", "𝒳", "ﬁ", "ß", "İ", "the", " the", " Hello",
          "def f(x):\n    return", "http://a.b/c?d=e", "{{", "<|", "|>", "<|im_", "<|im_start", "im_end|>"]
PLANES = [(0x20, 0x7E), (0, 0xFF), (0, 0xFFF), (0, 0xFFFF), (0x10000, 0x1FFFF), (0x20000, 0x3FFFF),
          (0x40000, 0xBFFFF), (0xC0000, 0x10FFFF)]


def character(rng, low, high):
    while True:
        code = rng.randint(low, high)
        if not 0xD800 <= code <= 0xDFFF:
            return chr(code)


def part(rng, special):
    kind = rng.randrange(8)
    if kind == 0:
        return rng.choice(SPACES) * rng.randint(1, 4)
    if kind == 1:
        return rng.choice(PIECES)
    if kind == 2:
        return str(rng.randrange(10 ** rng.randint(1, 12)))
    if kind == 3:
        return rng.choice(special)
    if kind == 4:
        return "".join(rng.choice("abcdefghij KLMNO.,'\"()-_") for _ in range(rng.randint(1, 30)))
    low, high = rng.choice(PLANES)
    return "".join(character(rng, low, high) for _ in range(rng.randint(1, 6)))


def long_word(rng):
    """One word without a space: few letters make merges meet."""
    letters = rng.choice(["a", "ab", "aeth", "=", "-=", "é", "中文", "abcdefghijklmnopqrstuvwxyz", "🎉"])
    return "".join(rng.choice(letters) for _ in range(rng.randint(100, 4000)))


def random_strings(count, special, seed):
    """Not empty; one in 500 holds a very long word."""
    rng = random.Random(seed)
    for i in range(count):
        parts = [part(rng, special) for _ in range(rng.randint(1, 12))]
        if i % 500 == 499:
            parts.insert(rng.randint(0, len(parts)), long_word(rng))
        yield "".join(parts)
