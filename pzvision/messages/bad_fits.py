"""Why a calibration is refused, as it is said in English where that is found out, and in Chinese."""

from __future__ import annotations

from typing import Final

MESSAGES: Final[dict[str, tuple[str, str]]] = {
    "bad_fit.dent": (
        "{corner}角凹进去了,四条边要往外凸",
        "corners: {corner} is a dent, expected a convex outline",
    ),
    "bad_fit.outside": (
        "{corner}角在画面外面({place}),要在 0–1 里",
        "corners: {corner} at {place} is outside the picture, expected 0–1 of width and height",
    ),
    "bad_fit.same": ("{corner}角和下一个是同一点", "corners: {corner} and the next one are the same point"),
    "bad_fit.order": (
        "次序不对,按摄像头看到的应是近左、近右、远右、远左",
        "corners: in the wrong order, expected near-left, near-right, far-right, far-left as the camera"
        " sees them",
    ),
    "bad_fit.straight": (
        "{corner}角和两边在一条线上",
        "corners: {corner} lies on a line with its neighbours",
    ),
    "bad_fit.tiny": (
        "桌子只占画面的 {share},要 2 % 以上",
        "corners: the table fills {share} of the picture, expected 2 % or more",
    ),
    "bad_fit.upside_down": (
        "近边在远边上面了,次序应是近左、近右、远右、远左",
        "corners: the near edge is above the far edge, expected near-left, near-right, far-right, far-left",
    ),
    "bad_fit.cross": (
        "边交叉了,次序应是近左、近右、远右、远左",
        "corners: the edges cross, expected near-left, near-right, far-right, far-left",
    ),
    "bad_fit.square": (
        "没有摄像头会把方桌看成这样(差 {px} 像素):看看次序对不对,台面是不是正方形",
        "corners: no camera sees a square table like that (off by {px} px): check the order near-left,"
        " near-right, far-right, far-left and that the felt is square",
    ),
    "bad_fit.missing": (
        "没看到桌角卡:{cards};放平、别遮住,黑框四周留白",
        "corner card not seen: {cards}: lay it flat, uncovered, in the picture, with white paper all round"
        " the black square",
    ),
    "bad_fit.twice": (
        "{corner}的卡({card} 号)有两张,每张只放一次",
        "the {corner} card (card {card}) is seen twice: lay out each card once",
    ),
    "bad_fit.small": (
        "{corner}的卡({card} 号)只有 {px} 像素宽,要 {least} 以上:摄像头近一点,或用更高的分辨率",
        "the {corner} card (card {card}) is only {px} px wide, expected {least} or more: move the camera"
        " nearer or use a higher resolution",
    ),
    "bad_fit.turned": (
        "{corner}的卡({card} 号)差 {px} 像素:放转了,箭头要指着台面的角",
        "the {corner} card (card {card}) is off by {px} px: it lies turned; its arrow belongs in the felt's"
        " corner",
    ),
    "bad_fit.off": (
        "{corner}的卡({card} 号)差 {px} 像素:放平,箭头正好在台面的角上(台面要正方;广角镜头要 --lens)",
        "the {corner} card (card {card}) is off by {px} px: lay it flat with its arrow exactly in the felt's"
        " corner (the felt must be square, and a wide lens needs --lens)",
    ),
    "bad_fit.felt": (
        "桌角卡和 {side} 厘米的台面对不上(差 {px} 像素):四张都要放",
        "the corner cards do not fit a felt of {side} cm (off by {px} px): lay out all four",
    ),
    "bad_fit.line": (
        "桌角卡在画面里成了一条线,桌子不会是这样",
        "corner cards: they lie on a line in the picture, no table looks like that",
    ),
    "bad_fit.no_picture": ("还没有画面:摄像头开了吗?", "no picture yet: is the camera on?"),
}
