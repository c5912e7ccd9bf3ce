"""Help on the options that several commands share.

Keys: ``help.COMMAND.DEST``, or ``help.any.DEST``; see `pzvision.commands._help`.
"""

from __future__ import annotations

from typing import Final

MESSAGES: Final[dict[str, tuple[str, str]]] = {
    "help.any.lang": ("输出用中文还是英文(默认 zh)", "language of the output (default zh)"),
    "help.any.models": (
        "放识别模型(finder.onnx、reader.onnx)的目录(默认随程序附带的)",
        "folder with the models, finder.onnx and reader.onnx (default: those that come with the program)",
    ),
    "help.any.backend": (
        "用什么跑模型:onnxruntime、openvino,或 auto(装了 OpenVINO 就用它;默认)",
        "what runs the models: onnxruntime, openvino, or auto, which is OpenVINO where installed (default)",
    ),
    "help.any.threads": (
        "识别用几个线程,1 到 64(默认全部核)",
        "threads of the detector, 1 to 64 (default: all cores)",
    ),
    "help.any.port": ("网页端口(默认 8642)", "port of the page (default 8642)"),
    "help.any.no_page": ("只在终端里打印,不开网页", "print in the terminal only; serve no page"),
    "help.any.ruleset": (
        "玩法(必须写):编号(pzvision rules 列出)或自家规则的 .toml 文件",
        "the game (required): an id (pzvision rules lists them) or a .toml file of house rules",
    ),
    "help.any.option": (
        "改一条规则,如 cap=64(pzvision rules ID 列出);可多次",
        "change one rule, such as cap=64 (pzvision rules ID lists them); repeatable",
    ),
    "help.any.calibration": (
        "标定文件,pzvision calibrate 写的(默认找录像旁的 calibration.toml,再找 calibration/table.toml)",
        "calibration file, as pzvision calibrate writes (default: calibration.toml beside the "
        "recording, then calibration/table.toml)",
    ),
    "help.any.base": ("底:一番多少(默认 1)", "stake: what one fan is worth (default 1)"),
    "help.any.dealer": (
        "第一局的庄家:E 东、S 南、W 西、N 北(默认谁先动谁是庄)",
        "dealer of the first hand: E, S, W or N (default: whoever acts first)",
    ),
    "help.any.name": ("玩家名字,如 E=小王;可多次", "a player's name, such as E=Wang; repeatable"),
    "help.any.events": (
        "把牌谱写到这个文件,pzvision settle 能读",
        "write the game log here; pzvision settle reads it",
    ),
    "help.any.every": (
        "每几秒看一次,0.02 到 5(默认 0.25)",
        "seconds between looks at the table, 0.02 to 5 (default 0.25)",
    ),
    "help.any.gate": (
        "没动过的地方不重看:省一半以上的时间,但偶尔会漏(默认每次全看)",
        "do not look again at parts of the table that stayed as they were: less than half the "
        "work, but may miss something (default: look at all)",
    ),
    "help.any.tile_set": (
        "这副牌的文件,pzvision adapt 写的;none 是不用(默认用标定里写的那副)",
        "the tile set in use, a file that pzvision adapt wrote, or none (default: the one the "
        "calibration names)",
    ),
    "help.any.declarations": (
        "口头声明(唱歌、跳舞、报警……)的文件:带时间 t 的 declare 记录,一行一条(默认录像旁的 "
        "declarations.jsonl)",
        "spoken declarations (singing, dancing, alarm …), one declare record a line, with its "
        "time t (default: declarations.jsonl beside the recording)",
    ),
    "help.any.json": ("输出 JSON", "print JSON"),
    "help.any.help": ("显示这一页", "show this page"),
    "help.any.version": ("显示版本", "show the version"),
    "help.any.command": ("下面列出的命令之一", "one of the commands below"),
}
