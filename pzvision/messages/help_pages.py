"""The pages that ``pzvision COMMAND --help`` shows: what a command is for, and examples.

``help.page.COMMAND``: paragraphs. ``help.example.COMMAND``: lines of ``# remark`` and the command below it,
the same commands in both languages.
"""

from __future__ import annotations

from typing import Final

MESSAGES: Final[dict[str, tuple[str, str]]] = {
    # --- the frame of a page ---
    "help.head.name": ("名称", "NAME"),
    "help.head.usage": ("用法", "SYNOPSIS"),
    "help.head.about": ("说明", "DESCRIPTION"),
    "help.head.commands": ("命令", "COMMANDS"),
    "help.head.arguments": ("参数", "ARGUMENTS"),
    "help.head.options": ("选项", "OPTIONS"),
    "help.head.examples": ("例子", "EXAMPLES"),
    "help.head.status": ("退出状态", "EXIT STATUS"),
    "help.head.page": ("网页", "PAGE"),
    "help.head.store": ("存牌局", "STORE"),
    "help.head.golden": ("金标集", "GOLDEN SET"),
    "help.option": ("[选项…]", "[OPTION …]"),
    "help.required": ("必须写。", "Required. "),
    "help.one_of": ("可以是:{choices}", "one of: {choices}"),
    "help.repeats": ("可以写多个", "more than one may be given"),
    "help.other": ("English: {prog} --help --lang en", "中文:{prog} --help --lang zh"),
    "help.more": (
        "每个命令自己的说明:pzvision 命令 --help。出了问题先运行 pzvision doctor。",
        "More on each: pzvision COMMAND --help. When something does not work: pzvision doctor.",
    ),
    "help.status": (
        "0 做好了;2 输入不对,或写不出去(一行说明);130 按 Ctrl-C 停下;143 被终止。",
        "0: done. 2: bad input, or output that cannot be written (one line says which). 130: stopped by"
        " Ctrl-C. 143: terminated.",
    ),
    "help.status.batch": ("1:有录像没看成。", "1: a recording failed."),
    "help.status.doctor": ("1:有地方要修。", "1: something must be mended."),
    "help.status.evaluate": (
        "1:低于 --below,或金标集的数字比认可的差。",
        "1: below --below, or a figure of the golden set is worse than the accepted one.",
    ),
    "help.status.adapt": ("1:学了也没更好,什么也没写。", "1: it would be no better; nothing is written."),
    # --- pages ---
    "help.page": (
        "用摄像头看真的牌桌:认牌,弄清每家打了什么、碰了什么、杠了什么,说谁听什么、谁该付谁,整局自动算账。",
        "Watches a real mahjong table through a camera: names the tiles, works out what every seat has done,"
        " says who waits for what and who pays whom, and settles the whole game.",
    ),
    "help.page.demo": (
        "把程序自带的一分多钟录像从头到尾看一遍,和真摄像头走的是同一条路,并开一个网页(只限本机)。用来看看程序能做什么、装好没有。",
        "Plays the recording that comes with the program, a little over a minute, through the same chain as a"
        " camera, and serves a page (this machine only). It shows what the program does and that it is well"
        " installed.",
    ),
    "help.example.demo": (
        "# 开网页,按原速放\npzvision demo\n# 只在终端里看,越快越好\npzvision demo --no-page",
        "# with the page, at real speed\npzvision demo\n# in the terminal only, as fast as it goes\n"
        "pzvision demo --no-page",
    ),
    "help.page.replay": (
        "边看录像边打印发生的事,最后算账。要先有标定(pzvision calibrate),还要说打的是哪种玩法。\n"
        "中途按 Ctrl-C,牌谱到那里为止都是完整的。没录完的录像不看,除非用 --end 说看到第几秒。",
        "Prints what happens as it is seen in the recording, and settles the hand. It needs a calibration"
        " (pzvision calibrate) and the name of the game.\n"
        "Ctrl-C leaves a valid log of what was seen so far. A recording that was cut off is refused unless"
        " --end says how far to go.",
    ),
    "help.example.replay": (
        "# 看一段录像,写牌谱和标注录像\n"
        "pzvision replay evening.mp4 --ruleset pzh-popular --calibration calibration/table.toml"
        " --events evening.jsonl --render evening-annotated.mp4\n"
        "# 存下看到的,以后换玩法重新判断\n"
        "pzvision replay evening.mp4 --ruleset pzh-popular --observations evening.jsonl.gz\n"
        "pzvision replay --from-log evening.jsonl.gz --ruleset pzh-popular --option cap=64",
        "# read a recording; write the log and an annotated video\n"
        "pzvision replay evening.mp4 --ruleset pzh-popular --calibration calibration/table.toml"
        " --events evening.jsonl --render evening-annotated.mp4\n"
        "# keep what was seen, to decide anew under other rules later\n"
        "pzvision replay evening.mp4 --ruleset pzh-popular --observations evening.jsonl.gz\n"
        "pzvision replay --from-log evening.jsonl.gz --ruleset pzh-popular --option cap=64",
    ),
    "help.page.live": (
        "接着摄像头看牌,打印播报,开牌桌网页(默认 http://127.0.0.1:8642/,只限本机)。一晚的牌自动存下,"
        "断电后再运行会问要不要接着打。\n"
        "没有标定时先开标定页(也可以 pzvision calibrate 0 --markers);没说打哪种时按上一场的规则。"
        "OBS 用的透明画面在 /overlay。",
        "Watches a table through a camera, prints what is announced and serves the table page (by default"
        " http://127.0.0.1:8642/, this machine only). The evening is kept on disk; after a crash it is"
        " offered to go on with.\n"
        "Without a calibration the page to make one comes first (or: pzvision calibrate 0 --markers); without"
        " --ruleset the rules are those of the last evening. A transparent page for OBS is at /overlay.",
    ),
    "help.example.live": (
        "# 0 号摄像头,西昌麻将\npzvision live --camera 0 --ruleset xichang\n"
        "# 另一个摄像头看南家的手牌;手机也能开网页\n"
        "pzvision live --camera table=0 --camera hand.S=1 --ruleset pzh-popular --host 0.0.0.0",
        "# webcam 0, Xichang mahjong\npzvision live --camera 0 --ruleset xichang\n"
        "# a second camera sees South's hand; phones may open the page\n"
        "pzvision live --camera table=0 --camera hand.S=1 --ruleset pzh-popular --host 0.0.0.0",
    ),
    "help.page.sessions": (
        "live 存下的牌局:列出、查看、导出牌谱、账本或报告。",
        "The evenings that live has kept: list them, show one, or export its log, ledger or report.",
    ),
    "help.example.sessions": (
        "# 都有哪些\npzvision sessions\n# 最近一场的报告\n"
        "pzvision sessions export last --html --out evening.html",
        "# which there are\npzvision sessions\n# a report of the last one\n"
        "pzvision sessions export last --html --out evening.html",
    ),
    "help.page.batch": (
        "看许多录像,每个写一个目录:牌谱、看到的、结算;再汇总成 summary.csv 和 summary.html。"
        "录像旁的标定和口头声明自动用上。\n"
        "随时可以中断,同样的命令再运行就接着做:做完的不重做。看不成的录像不影响别的。",
        "Reads many recordings and writes a folder for each: log, observations and settlement; and"
        " summary.csv and summary.html of all. The calibration and spoken declarations beside each"
        " recording are used.\n"
        "It may be interrupted at any time: the same command goes on, and nothing finished is done again. A"
        " recording that fails stops no other.",
    ),
    "help.example.batch": (
        "# 一个目录和一个文件\npzvision batch evenings more.mp4 --out results --ruleset pzh-popular",
        "# a folder and a file\npzvision batch evenings more.mp4 --out results --ruleset pzh-popular",
    ),
    "help.page.detect": (
        "找出照片里的每一张麻将牌并认出是什么,打印出来。不需要标定。",
        "Finds every mahjong tile in a picture, names it and prints it. No calibration is needed.",
    ),
    "help.example.detect": (
        "# 写出标注过的照片\npzvision detect photo.jpg --out out\n"
        "# 给别的程序用\npzvision detect photo.jpg --json",
        "# write an annotated picture\npzvision detect photo.jpg --out out\n# for other programs\n"
        "pzvision detect photo.jpg --json",
    ),
    "help.page.adapt": (
        "程序总把你的牌认错时用:把 27 种牌各一张按万、条、筒摆成三排,每排 1 到 9,从不同角度拍两张照片。"
        "学会多少当场就测,学不好就什么也不写。",
        "For when your tiles are misread: lay one of each of the 27 kinds in three rows (万, 条, 筒, each"
        " 1 to 9) and take two photos from different sides. What it learnt is tested at once; if it is no"
        " better, nothing is written.",
    ),
    "help.example.adapt": (
        "# 两张照片,这张桌子以后就用这副牌\n"
        "pzvision adapt a.jpg b.jpg --name club --calibration calibration/table.toml",
        "# two photos; the table uses this set from now on\n"
        "pzvision adapt a.jpg b.jpg --name club --calibration calibration/table.toml",
    ),
    "help.page.bench-detector": (
        "在这台机器上测识别一张画面要多久,分阶段、分后端。",
        "Measures on this machine how long a picture takes, stage by stage and on every backend.",
    ),
    "help.example.bench-detector": (
        "# 快速测一下\npzvision bench-detector --pictures 2 --rounds 3",
        "# a quick measurement\npzvision bench-detector --pictures 2 --rounds 3",
    ),
    "help.page.calibrate": (
        "告诉程序台面的四角在画面哪里。摄像头每换一次位置做一次。三种做法:打印桌角卡放在四角(--markers);开网页用鼠标拖;直接写坐标(--corners)。\n"
        "做完看一眼 --preview 的图:格子应和桌上的牌一样大。",
        "Says where the four corners of the felt are in the picture; once for every place of the camera."
        " Three ways: printed cards in the corners (--markers), a page on which the corners are dragged, or"
        " their coordinates (--corners).\n"
        "Look at the picture of --preview afterwards: its cells should be as large as the tiles.",
    ),
    "help.example.calibrate": (
        "# 打印用的桌角卡\npzvision calibrate --sheet sheet\n"
        "# 四角放了卡,0 号摄像头,近边坐的是南家\n"
        "pzvision calibrate 0 --markers --near S --preview grid.jpg\n"
        "# 没有卡:开网页拖\npzvision calibrate photo.jpg --near S\n"
        "# 直接写四角(像素)\n"
        "pzvision calibrate photo.jpg --corners 212,655 1070,655 905,132 378,132",
        "# corner cards to print\npzvision calibrate --sheet sheet\n"
        "# the cards lie in the corners, webcam 0, South sits at the near edge\n"
        "pzvision calibrate 0 --markers --near S --preview grid.jpg\n"
        "# without cards: drag the corners on a page\npzvision calibrate photo.jpg --near S\n"
        "# the corners in pixels\n"
        "pzvision calibrate photo.jpg --corners 212,655 1070,655 905,132 378,132",
    ),
    "help.page.score": (
        "从标准输入读,一行一手胡了的牌(JSON),一行输出它的番数和由来。终端上输出文字,否则输出 JSON。",
        "Reads one finished hand a line (JSON) from standard input and prints its worth and why. Words on a"
        " terminal, JSON elsewhere.",
    ),
    "help.example.score": (
        "# 清一色\n"
        """echo '{"concealed": "111222333m456m9m", "win": {"tile": "9m", "by": "self_draw"}}'"""
        " | pzvision score --ruleset pzh-popular",
        "# all of one suit\n"
        """echo '{"concealed": "111222333m456m9m", "win": {"tile": "9m", "by": "self_draw"}}'"""
        " | pzvision score --ruleset pzh-popular",
    ),
    "help.page.waits": (
        "从标准输入读,一行一手牌(JSON),一行输出它听什么、各值多少番。",
        "Reads one hand a line (JSON) from standard input and prints what it waits for and what each is"
        " worth.",
    ),
    "help.example.waits": (
        "# 听什么\n"
        """echo '{"concealed": "111222333m456m9m"}' | pzvision waits --ruleset pzh-popular""",
        "# what it waits for\n"
        """echo '{"concealed": "111222333m456m9m"}' | pzvision waits --ruleset pzh-popular""",
    ),
    "help.page.settle": (
        "读一份牌谱(一局或一晚),按玩法核对每条记录,说谁付谁、为什么。牌谱可以是程序写的,也可以手写。",
        "Reads a game log, a hand or an evening, checks every record against the rules and says who pays whom"
        " and why. The log may be written by the program or by hand.",
    ),
    "help.example.settle": (
        "# 打几局模拟的,再算账\npzvision simulate --hands 3 --out log.jsonl\npzvision settle log.jsonl",
        "# play some simulated hands, then settle them\npzvision simulate --hands 3 --out log.jsonl\n"
        "pzvision settle log.jsonl",
    ),
    "help.page.rules": (
        "列出七种玩法;写了编号就列出那种的牌型、番数、杠钱和每条可改的规则及其出处。",
        "Lists the seven games; with an id, that game's patterns and prices, kong money, and every rule that"
        " can be changed, with its source.",
    ),
    "help.example.rules": (
        "# 一种玩法\npzvision rules xichang --lang zh\n# 两种有何不同\n"
        "pzvision rules --diff pzh-popular xichang",
        "# one game\npzvision rules xichang --lang en\n# how two differ\n"
        "pzvision rules --diff pzh-popular xichang",
    ),
    "help.page.dice": (
        "按骰子算从谁面前、第几墩开始拿牌。",
        "Says from the dice in front of whom, and where, the wall is broken.",
    ),
    "help.example.dice": (
        "# 五点和三点,东家坐庄\npzvision dice 5 3",
        "# five and three, East deals\npzvision dice 5 3",
    ),
    "help.page.simulate": (
        "由模拟的玩家按规则打完整的牌,输出牌谱。同一个种子打出同样的牌。",
        "Simulated players play whole legal hands; their game log is written. The same seed plays the same.",
    ),
    "help.example.simulate": (
        "# 十局,存下来\npzvision simulate --ruleset pzh-popular --hands 10 --seed 1 --out log.jsonl",
        "# ten hands into a file\n"
        "pzvision simulate --ruleset pzh-popular --hands 10 --seed 1 --out log.jsonl",
    ),
    "help.page.render": (
        "把一局模拟的牌画成录像,连同真牌谱、标定和声明,放进一个新目录;用来试程序、做测试。",
        "Draws a simulated game as video into a new folder, with its true log, calibration and declarations:"
        " to try the program and to test it.",
    ),
    "help.example.render": (
        "# 画一局,再看看程序认得怎样\npzvision render --ruleset pzh-popular --seed 1 --out game\n"
        "pzvision replay game/video.mp4 --ruleset pzh-popular --events read.jsonl\n"
        "pzvision evaluate game/log.jsonl read.jsonl",
        "# draw a hand, then see how well it is read\n"
        "pzvision render --ruleset pzh-popular --seed 1 --out game\n"
        "pzvision replay game/video.mp4 --ruleset pzh-popular --events read.jsonl\n"
        "pzvision evaluate game/log.jsonl read.jsonl",
    ),
    "help.page.golden": (
        "金标集是一组渲染的整局牌,真值全知。build 把缺的画出来、过一遍识别、存下看到的;"
        "pzvision evaluate 再用它们打分。draw 往一个新目录里随机抽一组配方:没拿它调过的局,看得到底准不准。"
        "在源码目录里运行。",
        "The golden set is a set of rendered hands whose whole truth is known. build draws those that are"
        " missing, looks at them with the detector and keeps what it saw; pzvision evaluate then judges by"
        " them. draw draws recipes at random into a new folder: hands on which nothing was developed, to see"
        " what a reading is worth. Run it in the checkout.",
    ),
    "help.example.golden": (
        "# 有哪些\npzvision golden list\n# 随机抽一组新的,生成,打分\npzvision golden draw fresh --seed 7\n"
        "pzvision golden build fresh\npzvision evaluate fresh",
        "# which there are\npzvision golden list\n# draw, build and judge new ones\n"
        "pzvision golden draw fresh --seed 7\npzvision golden build fresh\npzvision evaluate fresh",
    ),
    "help.page.evaluate": (
        "拿写出的牌谱和真牌谱比:每种记录的 F1,结算一样不一样。"
        "给的是金标集目录时,把整组都看一遍,和上次认可的数字比。",
        "Compares a written game log with the true one: F1 for each kind of record, and whether the"
        " settlement is the same. With a golden set's folder the whole set is read and held against the"
        " figures last accepted.",
    ),
    "help.example.evaluate": (
        "# 比两份牌谱\npzvision evaluate truth.jsonl log.jsonl\n# 整个金标集(源码目录里)\n"
        "pzvision evaluate datasets/golden",
        "# two logs\npzvision evaluate truth.jsonl log.jsonl\n# the whole golden set (in the checkout)\n"
        "pzvision evaluate datasets/golden",
    ),
    "help.page.doctor": (
        "检查程序、依赖、模型、字体、摄像头、标定、端口、存储和终端,不对的说怎么办。出了问题先运行它。",
        "Checks program, packages, model, fonts, camera, calibration, port, storage and terminal, and says"
        " how to mend what is wrong. The first thing to run when something does not work.",
    ),
    "help.example.doctor": (
        "# 全部检查\npzvision doctor\n# 检查网络摄像头\npzvision doctor --camera rtsp://192.168.1.20/stream",
        "# check everything\npzvision doctor\n# a network camera\n"
        "pzvision doctor --camera rtsp://192.168.1.20/stream",
    ),
    "help.page.train": (
        "训练找牌的(finder)或认牌的(reader)模型,导出,评测。要装 pzvision[train];数据先用 train-data 生成。",
        "Trains the model that finds tiles (finder) or names them (reader), exports and judges them. Needs"
        " pzvision[train]; the data is built by train-data before.",
    ),
    "help.example.train": (
        "# 训练一小时,导出\n"
        "pzvision train --recipe datasets/finder.yaml --minutes 60 --out runs/finder --export models\n"
        "# 评测\npzvision train --evaluate models",
        "# train for an hour and export\n"
        "pzvision train --recipe datasets/finder.yaml --minutes 60 --out runs/finder --export models\n"
        "# judge\npzvision train --evaluate models",
    ),
    "help.page.train-data": (
        "按配方生成训练用的图片,或拼几张样本看看。",
        "Builds the training pictures of a recipe, or shows some samples of them.",
    ),
    "help.example.train-data": (
        "# 看看样本\npzvision train-data --recipe datasets/finder.yaml --preview sheet.jpg",
        "# look at samples\npzvision train-data --recipe datasets/finder.yaml --preview sheet.jpg",
    ),
    "help.page.completion": (
        "输出一段脚本,让 shell 按 Tab 补全 pzvision 的命令、选项、玩法编号和文件名。装好后重开一个终端。",
        "Prints a script with which the shell completes pzvision's commands, options, ruleset ids and file"
        " names when Tab is pressed. Open a new terminal afterwards.",
    ),
    "help.example.completion": (
        "# bash\npzvision completion bash > ~/.local/share/bash-completion/completions/pzvision\n"
        "# zsh(该目录要在 fpath 里)\npzvision completion zsh > ~/.zfunc/_pzvision\n"
        "# fish\npzvision completion fish > ~/.config/fish/completions/pzvision.fish",
        "# bash\npzvision completion bash > ~/.local/share/bash-completion/completions/pzvision\n"
        "# zsh (the folder must be in fpath)\npzvision completion zsh > ~/.zfunc/_pzvision\n"
        "# fish\npzvision completion fish > ~/.config/fish/completions/pzvision.fish",
    ),
}
