"""Colors of figures in the dark, by the definitions of CSS Filter Effects: invert(1), then hue-rotate(180deg)."""

Rgb = tuple[float, float, float]

# hue-rotate(a): base + cos a * first + sin a * second; at 180 degrees base - first.
TURNED = (
    (0.213 - 0.787, 0.715 + 0.715, 0.072 + 0.072),
    (0.213 + 0.213, 0.715 - 0.285, 0.072 + 0.072),
    (0.213 + 0.213, 0.715 + 0.715, 0.072 - 0.928),
)


def dark(color: str) -> Rgb:
    """What the filter of screen.css makes of a color."""
    inverted = [1 - int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (sum(a * b for a, b in zip(row, inverted, strict=True)) for row in TURNED)
    return clipped(red), clipped(green), clipped(blue)


def clipped(value: float) -> float:
    return min(1.0, max(0.0, value))


def contrast(one: Rgb, other: Rgb) -> float:
    """Contrast ratio of WCAG 2.2, 1 to 21."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def luminance(color: Rgb) -> float:
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in color]
    return sum(a * b for a, b in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
