"""Help on the options of the commands about tiles, rules and logs.

Keys: ``help.COMMAND.DEST``, or ``help.any.DEST``; see `pzvision.commands._help`.
"""

from __future__ import annotations

from typing import Final

MESSAGES: Final[dict[str, tuple[str, str]]] = {
    "help.detect.images": ("照片文件", "picture files"),
    "help.detect.json": ("每张照片输出一行 JSON", "print one JSON object per picture"),
    "help.detect.out": (
        "把标注过的照片写到这个目录(默认不写)",
        "write annotated pictures to this folder (default: none are written)",
    ),
    "help.detect.threads": ("用几个线程(默认全部核)", "threads to use (default: all cores)"),
    "help.detect.tile_set": (
        "这副牌的文件,pzvision adapt 写的(默认不用)",
        "the tile set in the pictures, a file that pzvision adapt wrote (default: none)",
    ),
    "help.detect.providers": ("在标准错误上说明模型由什么来跑", "say on standard error what runs the models"),
    "help.adapt.photos": ("照片,两张或更多", "photos, two or more"),
    "help.adapt.name": ("给这副牌起个名(默认 tiles)", "what to call the set (default tiles)"),
    "help.adapt.calibration": (
        "哪张桌子以后用这副牌:它的标定文件,会写进去",
        "the table that uses this set from now on: its calibration file, which is changed",
    ),
    "help.adapt.out": (
        "写到哪个文件(默认标定旁的 tile_sets/NAME.npz)",
        "file to write (default: tile_sets/NAME.npz beside the calibration)",
    ),
    "help.adapt.order": (
        "rows:牌确实排成三排;any:随便摆的,靠牌面认;auto:哪种有把握用哪种(默认)",
        "rows: they do lie in the three rows; any: they lie anyhow, and the faces must tell; "
        "auto: whichever is sure (default)",
    ),
    "help.adapt.threads": ("用几个线程(默认全部核)", "threads to use (default: all cores)"),
    "help.bench-detector.images": (
        "照片(默认画几张 1280×720、60 张牌以上的桌面)",
        "pictures to look at (default: rendered tables of 1280×720 with 60 tiles or more)",
    ),
    "help.bench-detector.backend": (
        "用什么跑模型:onnxruntime、openvino 或 auto(默认都测)",
        "what runs the models: onnxruntime, openvino or auto (default: all there are)",
    ),
    "help.bench-detector.threads": ("用几个线程(默认 2)", "threads to use (default 2)"),
    "help.bench-detector.pictures": ("画几张(默认 6)", "how many tables to render (default 6)"),
    "help.bench-detector.rounds": ("每张看几次(默认 7)", "looks at each picture (default 7)"),
    "help.bench-detector.calibration": (
        "标定文件:从正上方看桌子,图片必须是那张桌子的",
        "a calibration file: the table is looked at from above; the pictures must be of that table",
    ),
    "help.bench-detector.peer": (
        "在同一批带标注的照片(目录里有 images/ 和 labels/)上和 mahjong-detector 比(要装 pzvision[bench])",
        "side by side with mahjong-detector on a folder of labelled photos, images/ and labels/ "
        "(needs pzvision[bench])",
    ),
    "help.bench-detector.json": ("每个后端输出一行 JSON", "print one JSON object per backend or detector"),
    "help.score.json": (
        "在终端上也输出 JSON(默认终端上是文字)",
        "print JSON on a terminal too (default there: words)",
    ),
    "help.settle.log": ("牌谱文件;- 是标准输入", "the game log; - for standard input"),
    "help.settle.json": ("每局输出一行 JSON", "print one JSON object per hand"),
    "help.settle.lenient": ("记录前后对不上也往下算", "go on past records that do not fit the others"),
    "help.rules.id": (
        "玩法编号或规则文件;不写就列出全部",
        "ruleset id or .toml file; without it all are listed",
    ),
    "help.rules.diff": ("比较两种玩法(编号或文件)", "what differs between two games (ids or files)"),
    "help.rules.lang": ("只用一种语言(默认 both)", "print one language (default both)"),
    "help.dice.dice": ("一颗骰子的点数,1 到 6;写两个", "what a die shows, 1 to 6; give two"),
    "help.dice.dealer": ("庄家(默认 E)", "the dealer's seat (default E)"),
    "help.simulate.hands": ("打几局(默认 1)", "how many hands (default 1)"),
    "help.simulate.seed": ("随机种子:同一个数,同样的牌", "the same number gives the same hands"),
    "help.simulate.base": ("底:一番多少(默认 1)", "stake: what one fan is worth (default 1)"),
    "help.simulate.dealer": ("第一局的庄家(默认 E)", "first dealer (default E)"),
    "help.simulate.spice": (
        "做牌的机会,0 到 1:让少见的事常出现",
        "share of hands that are dealt to make rare things happen, 0 to 1",
    ),
    "help.simulate.leave": ("胡了的人先走的机会,0 到 1", "share of winners who leave early, 0 to 1"),
    "help.simulate.out": ("牌谱写到这个文件(默认打印出来)", "write the game log here (default: print it)"),
    "help.score.ruleset": (
        "没写玩法的行用这一种:编号或 .toml 文件",
        "the game of lines that name none: an id or a .toml file",
    ),
    "help.waits.ruleset": (
        "没写玩法的行用这一种:编号或 .toml 文件",
        "the game of lines that name none: an id or a .toml file",
    ),
    "help.waits.json": (
        "在终端上也输出 JSON(默认终端上是文字)",
        "print JSON on a terminal too (default there: words)",
    ),
    "help.simulate.ruleset": (
        "玩法:编号或 .toml 文件(默认 pzh-traditional)",
        "the game: an id or a .toml file (default pzh-traditional)",
    ),
    "help.rules.ruleset": ("和写 ID 一样", "the same as giving ID"),
    "help.completion.shell": ("哪种 shell", "which shell"),
}
