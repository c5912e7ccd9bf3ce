"""Texts of calibrating by printed markers: the sheet's own words, and what the command says."""

from __future__ import annotations

from typing import Any, Final

MESSAGES: Final[dict[str, tuple[str, str]]] = {
    "calibrate.markers": (
        "桌角标记:重投影误差 均方根 {error:.2f} 像素,最大 {worst:.2f} 像素({card})",
        "Corner cards: reprojection error {error:.2f} px root mean square, at most {worst:.2f} px ({card})",
    ),
    "calibrate.table_side": (
        "台面边长:按标记量得 {cm:.1f} 厘米",
        "Side of the felt, measured by the markers: {cm:.1f} cm",
    ),
    "shift.moved": (
        "摄像头被碰动了(约 {px:.0f} 像素),先暂停;放稳后自动对准,不行就在 /calibrate 重新标定。",
        "The camera was moved (by about {px:.0f} px), the game waits; calibrate anew at /calibrate.",
    ),
    "shift.lost": (
        "画面和标定时对不上了,先暂停;请把摄像头放回去,或在 /calibrate 重新标定。",
        "The view is another one, the game waits: put the camera back or calibrate anew at /calibrate.",
    ),
    "shift.moved_recording": (
        "摄像头被碰动了(约 {px:.0f} 像素),还对不准:从这里起画面先不读,对准或回到原位后继续。",
        "The camera was moved (by about {px:.0f} px) and cannot be set right yet: nothing is read from here"
        " until it can, or until the camera is back.",
    ),
    "shift.lost_recording": (
        "画面和标定时对不上了:从这里起先不读,摄像头回到原位后继续。",
        "The view is another one: nothing is read from here until the camera is back.",
    ),
    "shift.reason": (
        "摄像头被碰动了,请重新标定",
        "the camera was moved: calibrate it anew",
    ),
    "shift.by_cards": (
        "摄像头动了 {px:.0f} 像素,已按桌角标记重新对准,继续。",
        "The camera moved by {px:.0f} px and was set right by the corner cards; the game goes on.",
    ),
    "shift.by_scene": (
        "摄像头动了 {px:.0f} 像素,已按台面重新对准,继续。",
        "The camera moved by {px:.0f} px and was set right by the table itself; the game goes on.",
    ),
    "shift.back": ("摄像头回到原位,继续。", "The camera stands as before; the game goes on."),
    "calibrate.bent": (
        "注意:镜头有畸变;要更准,用打印棋盘标定镜头(--lens)",
        "Note: the lens bends the picture; for more exactness calibrate it by the printed board (--lens)",
    ),
    "calibrate.lens": (
        "镜头:用了 {used} 张照片,重投影误差 {error:.2f} 像素,k1 = {k1:+.3f}",
        "Lens: {used} photos, reprojection error {error:.2f} px, k1 = {k1:+.3f}",
    ),
    "calibrate.lens_left_out": (
        "没用 {names}:看不到足够的棋盘角",
        "Left out {names}: too little of the board is seen",
    ),
}

# The printed sheet. Every character here has its outline in pzvision/sheet/outlines.json.
SHEET: Final[dict[str, Any]] = {
    "titles": {
        "corners": ("桌角标记", "Corner cards"),
        "tokens": ("声明牌", "Declaration tokens"),
        "lens": ("镜头棋盘", "Lens board"),
    },
    "corners_print": (
        "按 100% 打印，不要缩放；沿灰线剪下四张卡。黑方块边长 60 毫米。",
        "Print at 100 %, do not scale; cut along the grey lines. The black squares are 60 mm wide.",
    ),
    "corners_how": (
        "每张卡平放，黑三角对准台面（绒布）的角，四张同时放好，",
        "再运行 pzvision calibrate PHOTO --markers 或在标定页按“自动”。",
        "Lay each card flat, its black corner in the felt's corner, all four at once,",
        "then run pzvision calibrate PHOTO --markers, or press Auto on the page.",
        "卡可以留在桌上：摄像头被碰歪时会自动重新对准。",
        "They may stay: with them a bumped camera is set right by itself.",
    ),
    "tokens_print": (
        "按 100% 打印，沿灰线剪下，不用折。声明时把牌平放在自己面前的台面上。黑方块边长 42 毫米。",
        "Print at 100 %, cut along the grey lines, no folding. Lay it before you to declare. 42 mm wide.",
    ),
    "lens_print": (
        "贴在硬板上，要平。换不同角度拍 8 张以上，再运行 pzvision calibrate … --lens 照片。每格 32 毫米。",
        "Glue it on a flat board. Take 8 or more photos, each tilted: pzvision calibrate … --lens PHOTO",
    ),
    "corner_names": (
        ("近左", "near left"),
        ("近右", "near right"),
        ("远右", "far right"),
        ("远左", "far left"),
    ),
    "token_names": {
        "sing": ("唱歌", "sing"),
        "dance": ("跳舞", "dance"),
        "alarm": ("报警", "alarm"),
        "tian_jiao": ("天叫", "tian jiao"),
        "bai": ("摆牌", "bai pai"),
        "bao_ting": ("报听", "bao ting"),
    },
    "marker": ("{number} · {mm} mm",),
    "ruler": ("100 毫米 mm",),
    "felt": ("台面", "felt"),
    "camera_here": ("摄像头", "camera"),
}
