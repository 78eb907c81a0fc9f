#!/usr/bin/env python3
"""Computes the table in palette_table.h; run by hand when the design changes:

    python3 render/palette_table.py > render/palette_table.h

Each tone is 24 colours of nearly one lightness and chroma in OKLCH (Ottosson's perceptual space),
so that no name shouts louder than another. People with red-green blindness lose one axis of hue, so
lightness varies a little between neighbours: a random search (fixed seed) looks for the lightness
offsets that keep the closest pairs furthest apart under normal, protan and deutan vision
(simulation: Machado, Oliveira, Fernandes 2009, severity 1).
"""
import math
import random

COLOURS = 24

# tone: (first hue, last hue, chroma dark, lightness dark, chroma light, lightness light, spread)
TONES = {
    "kKernel": (0, 360, 0.145, 0.72, 0.150, 0.74, 0.06),
    "kTransfer": (75, 125, 0.120, 0.80, 0.140, 0.82, 0.05),
    "kOperator": (0, 360, 0.085, 0.70, 0.085, 0.79, 0.06),
    "kRuntime": (25, 70, 0.085, 0.64, 0.090, 0.74, 0.05),
    "kAnnotation": (285, 335, 0.115, 0.68, 0.110, 0.77, 0.05),
    "kPython": (0, 360, 0.028, 0.61, 0.026, 0.82, 0.05),
    "kMuted": (0, 360, 0.012, 0.55, 0.012, 0.74, 0.03),
}


def oklch_to_linear(lightness, chroma, hue):
    a = chroma * math.cos(math.radians(hue))
    b = chroma * math.sin(math.radians(hue))
    l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    s = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    return (4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
            -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
            -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s)


def linear_to_oklab(rgb):
    r, g, b = (max(0.0, c) for c in rgb)
    l = (0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b) ** (1 / 3)
    m = (0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b) ** (1 / 3)
    s = (0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b) ** (1 / 3)
    return (0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
            1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
            0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s)


def in_gamut(lightness, chroma, hue):
    """The colour with the largest chroma up to `chroma` that sRGB can show."""
    low, high = 0.0, chroma
    rgb = oklch_to_linear(lightness, chroma, hue)
    if all(-1e-6 <= c <= 1 + 1e-6 for c in rgb):
        return rgb
    for _ in range(30):
        middle = (low + high) / 2
        if all(0 <= c <= 1 for c in oklch_to_linear(lightness, middle, hue)):
            low = middle
        else:
            high = middle
    return oklch_to_linear(lightness, low, hue)


VISIONS = [
    ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
]


def seen(rgb):
    return [linear_to_oklab([sum(k * c for k, c in zip(row, rgb)) for row in matrix]) for matrix in VISIONS]


def distance(a, b):
    return min(math.dist(x, y) for x, y in zip(a, b))


def to_srgb(rgb):
    def channel(c):
        c = min(1.0, max(0.0, c))
        return round(255 * (12.92 * c if c <= 0.0031308 else 1.055 * c ** (1 / 2.4) - 0.055))
    r, g, b = (channel(c) for c in rgb)
    return (r << 24) | (g << 16) | (b << 8) | 0xff


def make_tone(first, last, chroma, lightness, spread):
    hues = [first + (last - first) * i / (COLOURS if last - first == 360 else COLOURS - 1) for i in range(COLOURS)]
    rng = random.Random(24)

    def colours(offsets):
        return [in_gamut(lightness + spread * o, chroma, h) for h, o in zip(hues, offsets)]

    def score(offsets):
        views = [seen(c) for c in colours(offsets)]
        nearest = sorted(min(distance(views[i], views[j]) for j in range(COLOURS) if j != i) for i in range(COLOURS))
        return nearest[0] + sum(nearest[:8]) / 8
    best = [((i % 3) - 1) for i in range(COLOURS)]
    best_score = score(best)
    for _ in range(1500):
        trial = list(best)
        trial[rng.randrange(COLOURS)] = rng.choice((-1, -0.5, 0, 0.5, 1))
        trial_score = score(trial)
        if trial_score > best_score:
            best, best_score = trial, trial_score
    return [to_srgb(c) for c in colours(best)], best_score


def main():
    print("#pragma once\n// Computed by palette_table.py, which says how and why. Do not edit.\n")
    print("#include <cstdint>\n\nnamespace lacuna {\n")
    print("/// Kinds of work, each with a look of its own.")
    print("enum class Tone : std::uint8_t { " + ", ".join(TONES) + " };\n")
    print(f"inline constexpr int kTones = {len(TONES)};\ninline constexpr int kHues = {COLOURS};\n")
    print("/// 0xRRGGBBAA by [dark theme][tone][hue].")
    print("inline constexpr std::uint32_t kPaletteTable[2][kTones][kHues] = {")
    for dark in (False, True):
        print("    {")
        for name, (first, last, c_dark, l_dark, c_light, l_light, spread) in TONES.items():
            values, _ = make_tone(first, last, c_dark if dark else c_light, l_dark if dark else l_light, spread)
            print(f"        {{// {name}, {'dark' if dark else 'light'}")
            for at in range(0, COLOURS, 8):
                end = "}," if at + 8 == COLOURS else ","
                print("         " + ", ".join(f"0x{v:08x}" for v in values[at:at + 8]) + end)
        print("    },")
    print("};\n\n}  // namespace lacuna")


if __name__ == "__main__":
    main()
