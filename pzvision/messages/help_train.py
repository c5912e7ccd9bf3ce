"""Help on the options of the commands that render, train and judge.

Keys: ``help.COMMAND.DEST``, or ``help.any.DEST``; see `pzvision.commands._help`.
"""

from __future__ import annotations

from typing import Final

MESSAGES: Final[dict[str, tuple[str, str]]] = {
    "help.render.ruleset": (
        "玩法:编号或 .toml 文件(默认 pzh-popular)",
        "the game: an id or a .toml file (default pzh-popular)",
    ),
    "help.render.seed": ("随机种子:牌局、房间、噪点都由它定", "seed of game, room and noise"),
    "help.render.hands": ("几局(默认 1)", "number of hands (default 1)"),
    "help.render.look": ("牌的样子", "tile set"),
    "help.render.crops": ("用这个目录里的真实牌面图片", "folder of pictures of real faces to use instead"),
    "help.render.camera": ("机位", "place of the camera"),
    "help.render.near": ("画面近边坐的是谁:E S W N", "who sits at the picture's near edge: E S W N"),
    "help.render.river": ("打出的牌怎么放:成排或成堆", "how discards lie: in rows or in a heap"),
    "help.render.mess": ("凌乱程度,0 到 3(默认 1)", "untidiness, 0 to 3 (default 1)"),
    "help.render.pace": ("快慢:时间的倍数,0.3 到 3(默认 1)", "time factor, 0.3 to 3 (default 1)"),
    "help.render.an_gang": ("暗杠正放还是扣放", "concealed kongs face up or down"),
    "help.render.breaks": ("每局长停几次,0 到 5", "long pauses in a hand, 0 to 5"),
    "help.render.disturb": ("加什么干扰", "what disturbs the recording"),
    "help.render.size": ("画面大小,宽x高,偶数", "picture size, even numbers"),
    "help.render.fps": ("每秒几帧", "frames a second"),
    "help.render.out": ("结果写到这个新目录", "new folder for the result"),
    "help.golden.action": (
        "build 生成缺的,list 列出,draw 随机抽新的",
        "build what is missing, list, or draw new recipes at random",
    ),
    "help.golden.folder": (
        "金标集目录,里面有 recipes.toml(默认 datasets/golden)",
        "folder with recipes.toml (default datasets/golden)",
    ),
    "help.golden.only": ("只做名字这样的几份", "only these recipes"),
    "help.golden.seed": ("draw:从哪个种子抽(默认 1)", "draw: the seed to draw from (default 1)"),
    "help.golden.rounds": (
        "draw:每种规则抽几局(默认 1)",
        "draw: hands of each ruleset (default 1)",
    ),
    "help.golden.again": (
        "配方或模型变了的也重做",
        "also those built from another recipe or with other models",
    ),
    "help.evaluate.truth": ("真牌谱,或金标集目录", "the true log, or a golden set's folder"),
    "help.evaluate.log": ("要查的牌谱(比两份牌谱时写)", "the log to judge, where TRUTH is a log"),
    "help.evaluate.only": ("只看名字这样的几份", "only these recordings"),
    "help.evaluate.ablate": (
        "去掉一样再看:decoder 合法性解码,hysteresis 停稳判断",
        "leave out the decoder (each tile by itself, no legality) or the hysteresis (every look "
        "believed at once)",
    ),
    "help.evaluate.accept": ("把这次的数字记为认可的", "keep these figures as the accepted ones"),
    "help.evaluate.jobs": ("同时看几份(默认 1)", "recordings read at once (default 1)"),
    "help.evaluate.tolerance": ("时间差几秒以内算对(默认 3)", "seconds that a record may be off (default 3)"),
    "help.evaluate.below": (
        "总 F1 低于它时退出状态是 1",
        "exit status 1 when the F1 of all records is lower",
    ),
    "help.evaluate.all": ("逐条列出漏掉的和多出的", "list missed and false records"),
    "help.evaluate.json": ("输出一行 JSON", "print one JSON object"),
    "help.train.stage": (
        "训练哪一级:finder 找牌,reader 认牌",
        "what to train: finder finds tiles, reader names them",
    ),
    "help.train.recipe": (
        "finder:datasets/ 里的配方,先用 train-data 生成",
        "finder: a recipe of datasets/, built by train-data before",
    ),
    "help.train.built": ("finder:生成好的数据目录", "finder: folder of what train-data built"),
    "help.train.data": (
        "reader:含 crops/ 和 photos/train/ 的目录",
        "reader: folder with crops/ and photos/train/",
    ),
    "help.train.out": (
        "训练目录(默认 runs/STAGE);没训练完会接着训练",
        "run folder (default runs/STAGE); an unfinished run goes on there",
    ),
    "help.train.start": ("从这个 checkpoint 开始", "checkpoint to begin with"),
    "help.train.minutes": ("finder:训练多少分钟(默认 60)", "finder: minutes to train (default 60)"),
    "help.train.rate": ("最高学习率", "peak learning rate"),
    "help.train.processes": (
        "finder:几个进程分担一批(默认 2)",
        "finder: processes that share a batch (default 2)",
    ),
    "help.train.steps": ("reader:训练多少步", "reader: training steps"),
    "help.train.export": (
        "从训练目录导出 finder.onnx 和 finder.pt 到这里",
        "write finder.onnx and finder.pt from the run to this folder",
    ),
    "help.train.evaluate": (
        "评测这个目录(默认 models/)里的模型,写 REPORT.md",
        "judge the models in this folder (default models/) and write REPORT.md there",
    ),
    "help.train.photos": ("评测:带标注照片的目录", "evaluate: folder of labelled photos"),
    "help.train.scenes": ("评测:渲染几个场景(默认 60)", "evaluate: rendered scenes (default 60)"),
    "help.train.tables": (
        "评测:没训练过的牌样渲染几桌(默认 100)",
        "evaluate: tables of held-out tile sets (default 100)",
    ),
    "help.train.only": ("评测:只看名字以此开头的照片", "evaluate: only photos whose names begin so"),
    "help.train.crops": (
        "评测:单张牌面的目录,凑成一副拍的牌",
        "evaluate: folder of single faces, for a photographed set",
    ),
    "help.train.seed": ("随机种子", "seed of the random numbers"),
    "help.train-data.recipe": ("datasets/ 里的配方", "a recipe of datasets/"),
    "help.train-data.built": ("生成的数据放在哪里", "folder for what is built"),
    "help.train-data.mark": (
        "用这个 finder.onnx 补标照片里没标的牌",
        "finder.onnx with which to mark faces that the photos' labels lack",
    ),
    "help.train-data.preview": ("把样本拼成一张图写到这里", "write a contact sheet of samples here"),
    "help.train-data.samples": ("拼几张样本(默认 16)", "samples on the sheet (default 16)"),
    "help.train-data.seed": ("样本的随机种子(默认 1)", "seed of the sheet's samples (default 1)"),
}
