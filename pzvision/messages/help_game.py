"""Help on the options of the commands that watch games.

Keys: ``help.COMMAND.DEST``, or ``help.any.DEST``; see `pzvision.commands._help`.
"""

from __future__ import annotations

from typing import Final

MESSAGES: Final[dict[str, tuple[str, str]]] = {
    "help.demo.speed": (
        "放映速度:1 是原速,0 是越快越好(默认 1;有 --no-page 时 0)",
        "speed: 1 as recorded, 0 as fast as it goes (default 1; with --no-page 0)",
    ),
    "help.demo.keep": ("放完以后网页不关,按 Ctrl-C 才关", "keep the page open afterwards, until Ctrl-C"),
    "help.replay.source": (
        "录像文件、一目录图片,或视频网址",
        "a video file, a folder of pictures, or a video's address",
    ),
    "help.replay.camera": (
        "同时开录的别的摄像头,可多次:table2=文件 从另一边看台面(要有自己的标定),hand.S=文件 看南家的手牌",
        "a further recording begun at the same time, repeatable: table2=FILE sees the table from "
        "elsewhere (with its own calibration), hand.S=FILE a player's hand",
    ),
    "help.replay.render": ("把标注录像写到这里", "write an annotated video here"),
    "help.replay.observations": (
        "另存每次看到的,以后用 --from-log 不必再识别",
        "also keep what was seen, so that --from-log needs no detector later",
    ),
    "help.replay.from_log": (
        "不看录像,用 --observations 存下的重新判断;这时不要写 SOURCE",
        "decide anew from a file of --observations, without pictures; leave SOURCE out then",
    ),
    "help.replay.all": (
        "每条记录都打印,打牌、摸牌也打(默认只打碰、杠、声明、胡和播报的)",
        "print every record, discards and draws too (default: 碰, kongs, declarations, wins and "
        "what is announced)",
    ),
    "help.replay.start": ("从第几秒看起(默认 0)", "begin at this second (default 0)"),
    "help.replay.end": (
        "看到第几秒(默认到底);没录完的录像要写",
        "stop at this second (default: the end); needed for a recording that was cut off",
    ),
    "help.replay.fps": (
        "SOURCE 是图片目录时每秒几张,0.1 到 240(默认 10)",
        "pictures a second where SOURCE is a folder, 0.1 to 240 (default 10)",
    ),
    "help.live.calibration": (
        "标定文件,pzvision calibrate 写的(默认 calibration/table.toml)",
        "calibration file, as pzvision calibrate writes (default calibration/table.toml)",
    ),
    "help.live.camera": (
        "摄像头编号、网址,或按原速放的录像;可多次:table=0 看台面,table2=2 "
        "从另一边看(要有自己的标定),hand.S=1 看南家的手牌",
        "webcam number, address, or a video played at real speed; repeatable: table=0 sees the "
        "table, table2=2 sees it from elsewhere (with its own calibration), hand.S=1 one "
        "player's hand",
    ),
    "help.live.table": (
        "一个程序看几桌,可多次:--table A=0 --table B=rtsp://…;"
        "每桌有自己的标定(calibration/A.toml)、网页(/t/A/)、账本和存档",
        "several tables from one process, repeatable: --table A=0 --table B=rtsp://…; each has "
        "its own calibration (calibration/A.toml), page (/t/A/), ledger and evening",
    ),
    "help.live.declarations": (
        "口头声明的文件:带时间 t(秒)的 declare 记录,一行一条",
        "spoken declarations, one declare record a line, with its time t in seconds",
    ),
    "help.live.host": (
        "让别的设备(手机)也能打开网页的地址,如 0.0.0.0;要用口令(默认只限本机)",
        "address to serve other devices on, such as 0.0.0.0, with a token (default: this machine only)",
    ),
    "help.live.overlay_delay": (
        "直播画面比牌桌晚几秒(默认 0)",
        "seconds the stream overlay runs behind the table (default 0)",
    ),
    "help.live.voice": (
        "由这台机器朗读播报(不用浏览器);可写只读哪几种,如 ready,win,settlement(默认都读)",
        "speak announcements on this machine, without a browser; KINDS: only these, such as "
        "ready,win,settlement (default: all)",
    ),
    "help.live.obs": (
        "OBS 的 WebSocket 地址,好让它换场景(有 --obs-scene 时默认 127.0.0.1:4455)",
        "address of OBS's WebSocket server, to change its scenes (default 127.0.0.1:4455 with --obs-scene)",
    ),
    "help.live.obs_scene": (
        "播报这种事时 OBS 换到这个场景,如 win=特写;可多次",
        "change OBS to SCENE when KIND is announced, such as win=Closeup; repeatable",
    ),
    "help.live.obs_hold": ("几秒后换回原来的场景(默认 8)", "seconds until OBS changes back (default 8)"),
    "help.live.store": (
        "牌局存在哪个文件(SQLite;默认在数据目录里)",
        "the file that keeps the evening (SQLite; default: in the data folder)",
    ),
    "help.live.no_store": ("不存牌局", "keep nothing"),
    "help.live.resume": ("接着上一场打,不问", "go on with the last evening, without asking"),
    "help.live.new": ("另开一场,不问", "begin a new evening, without asking"),
    "help.sessions.action": (
        "list 列出(默认)、show 查看、export 导出",
        "list them (default), show one, or export one",
    ),
    "help.sessions.id": (
        "哪一场:list 里的编号,或 last(最近一场)",
        "which one: its number in the list, or last",
    ),
    "help.sessions.jsonl": (
        "导出牌谱,pzvision settle 能读(默认)",
        "export the game log, which pzvision settle reads (default)",
    ),
    "help.sessions.csv": ("导出账本,表格软件能开", "export the ledger, for a spreadsheet"),
    "help.sessions.html": ("导出带图的报告,一个文件", "export a report with drawings, one file"),
    "help.sessions.out": ("导出到哪个文件(默认打印出来)", "file to export to (default: standard output)"),
    "help.sessions.store": (
        "存牌局的文件(默认在数据目录里)",
        "the store to read (SQLite; default: in the data folder)",
    ),
    "help.batch.recordings": (
        "录像、目录(连子目录一起找)或清单(.txt,一行一个路径)",
        "videos, folders (searched, with those inside), or lists (.txt, a path a line)",
    ),
    "help.batch.out": (
        "结果放在哪个目录;再运行就接着做",
        "folder of the results; the same command goes on there",
    ),
    "help.batch.calibration": (
        "所有录像共用的标定文件(默认用每个录像旁的 calibration.toml)",
        "calibration file of all recordings (default: calibration.toml beside each)",
    ),
    "help.batch.workers": (
        "几个进程,1 到 512(默认按核数和内存定)",
        "worker processes, 1 to 512 (default: as many as cores and memory allow)",
    ),
    "help.batch.threads": (
        "每个进程识别用几个线程,1 到 64(默认 1)",
        "threads of each worker's detector, 1 to 64 (default 1)",
    ),
    "help.batch.engine": (
        "local 用本机的进程(默认),ray 用 Ray 集群(pip install 'pzvision[batch]')",
        "local: processes of this machine (default); ray: a Ray cluster (pip install 'pzvision[batch]')",
    ),
    "help.batch.ray_address": (
        "Ray 集群的地址,auto 是正在运行的那个(默认在本机临时开一个)",
        "address of the Ray cluster; auto: the one that runs (default: one started here)",
    ),
    "help.calibrate.source": (
        "照片、录像、摄像头编号(0、1……)或网址",
        "photo, video, webcam number (0, 1 …) or address",
    ),
    "help.calibrate.corners": (
        "台面四角,依次近左、近右、远右、远左;像素,或 0 到 1 的比例。不写就开网页用鼠标拖",
        "the felt's corners: near-left, near-right, far-right, far-left; in pixels, or as shares "
        "0 to 1. Without it a page opens on which they are dragged",
    ),
    "help.calibrate.markers": (
        "四角放了打印的桌角卡(见 --sheet),自动找",
        "find the corners by the printed corner cards (see --sheet)",
    ),
    "help.calibrate.lens": (
        "镜头:拍打印棋盘的照片(八张以上,或其目录),或另一份标定文件,用它的镜头",
        "the lens: eight or more photos of the printed board (or their folder), or another "
        "calibration file to take its lens from",
    ),
    "help.calibrate.sheet": (
        "把可打印的桌角卡、声明牌、棋盘写到这个目录",
        "write the printable corner cards, tokens and lens board to this folder",
    ),
    "help.calibrate.near": (
        "画面近边坐的是谁:E S W N(默认 E)",
        "who sits at the picture's near edge: E, S, W or N (default E)",
    ),
    "help.calibrate.table_cm": (
        "台面边长,厘米(默认 85;有 --markers 时自动量)",
        "side of the felt in cm (default 85; measured with --markers)",
    ),
    "help.calibrate.tile_cm": (
        "一张牌的高、宽、厚,厘米(默认 3.6,2.7,2.1)",
        "height, width and thickness of a tile in cm (default 3.6,2.7,2.1)",
    ),
    "help.calibrate.camera": (
        "这个摄像头叫什么:table、table2……(默认 table);没写 SOURCE 时是来源:0、网址,或 table2=1",
        "what this camera is called: table, table2 … (default table); without SOURCE, where it "
        "is: 0, an address, or table2=1",
    ),
    "help.calibrate.at": (
        "SOURCE 是录像时用第几秒的画面(默认 0)",
        "which second's picture to take from a video (default 0)",
    ),
    "help.calibrate.out": (
        "写到哪个文件,.toml 或 .json(默认 calibration/NAME.toml)",
        "file to write, .toml or .json (default calibration/NAME.toml)",
    ),
    "help.calibrate.preview": (
        "画一张检查用的图:格子应和桌上的牌一样大",
        "draw the picture with a grid to check: its cells should be as large as the tiles",
    ),
    "help.calibrate.port": (
        "拖角的网页用的端口(默认 8642)",
        "port of the page on which corners are dragged (default 8642)",
    ),
    "help.doctor.camera": (
        "检查哪个摄像头:编号或网址(默认找到的第一个)",
        "the camera to try: number or address (default: the first there is)",
    ),
    "help.doctor.calibration": (
        "检查哪份标定(默认 calibration/table.toml)",
        "calibration file to check (default calibration/table.toml)",
    ),
    "help.doctor.port": ("检查哪个端口(默认 8642)", "the page's port (default 8642)"),
}
