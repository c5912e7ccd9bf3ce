"""What ``pzvision doctor`` finds and how to mend it: Chinese first, English second."""

from __future__ import annotations

from typing import Final

MESSAGES: Final[dict[str, tuple[str, str]]] = {
    "doctor.title": ("检查 pzvision 的运行环境", "Checking what pzvision needs"),
    "doctor.mend": ("怎么办:{text}", "to mend: {text}"),
    "doctor.tip": ("可以:{text}", "tip: {text}"),
    "doctor.all_well": ("都正常", "all well"),
    "doctor.sum": ("{bad} 处要修,{warn} 处要留意", "{bad} to mend, {warn} to note"),
    "doctor.crashed": ("这项检查没做成:{why}", "this check could not be made: {why}"),
    # names of the checks
    "doctor.check.program": ("程序", "program"),
    "doctor.check.packages": ("依赖包", "packages"),
    "doctor.check.model": ("识别模型", "model"),
    "doctor.check.backend": ("推理后端", "backend"),
    "doctor.check.machine": ("机器", "machine"),
    "doctor.check.fonts": ("字体", "fonts"),
    "doctor.check.video": ("录像读写", "video files"),
    "doctor.check.camera": ("摄像头", "camera"),
    "doctor.check.calibration": ("标定", "calibration"),
    "doctor.check.port": ("端口", "port"),
    "doctor.check.storage": ("存储", "storage"),
    "doctor.check.terminal": ("终端", "terminal"),
    # what is found
    "doctor.program": ("pzvision {version},Python {python}", "pzvision {version}, Python {python}"),
    "doctor.packages": ("{count} 个依赖包都齐", "all {count} packages are there"),
    "doctor.package_missing": ("缺 {name}", "{name} is missing"),
    "doctor.package_old": ("{name} {have},需要 {want}", "{name} is {have}, expected {want}"),
    "doctor.package_mend": ("pip install '{name}{want}'", "pip install '{name}{want}'"),
    "doctor.package_broken": ("{name} 装了但用不了:{why}", "{name} is installed but does not load: {why}"),
    "doctor.cv2_mend": (
        "apt-get install libgl1 libglib2.0-0(Debian、Ubuntu);或 pip install opencv-python-headless",
        "apt-get install libgl1 libglib2.0-0 (Debian, Ubuntu); or pip install opencv-python-headless",
    ),
    "doctor.not_installed": (
        "pzvision 没有用 pip 安装,依赖版本无从核对",
        "pzvision was not installed with pip: versions cannot be checked",
    ),
    "doctor.not_installed_mend": (
        "在源码目录里运行 pip install -e .",
        "run pip install -e . in the checkout",
    ),
    "doctor.model": ("{path},一张画面 {ms:.0f} 毫秒", "{path}, {ms:.0f} ms a picture"),
    "doctor.model_slow": (
        "一张画面 {ms:.0f} 毫秒,现场会跟不上",
        "{ms:.0f} ms a picture: too slow to follow a game",
    ),
    "doctor.model_slow_mend": (
        "关掉别的程序;装 pip install 'pzvision[fast]';或用更快的机器",
        "close other programs; pip install 'pzvision[fast]'; or use a faster machine",
    ),
    "doctor.model_mend": (
        "重装:pip install --force-reinstall pzvision",
        "reinstall: pip install --force-reinstall pzvision",
    ),
    "doctor.backend": ("{backend}({provider})", "{backend} ({provider})"),
    "doctor.backend_tip": (
        "pip install 'pzvision[fast]' 装 OpenVINO,CPU 上约快一倍",
        "pip install 'pzvision[fast]' brings OpenVINO, about twice as fast on CPUs",
    ),
    "doctor.machine": ("{cores} 核,可用内存 {free:.1f} GB", "{cores} cores, {free:.1f} GB of memory free"),
    "doctor.machine_cores": ("{cores} 核", "{cores} cores"),
    "doctor.memory_low": ("可用内存只有 {free:.1f} GB", "only {free:.1f} GB of memory free"),
    "doctor.memory_mend": ("关掉别的程序,至少留 1 GB", "close other programs: at least 1 GB should be free"),
    "doctor.fonts": ("画面和网页都能写中文", "pictures and pages can show Chinese"),
    "doctor.font_cv": (
        "OpenCV {version} 不会写中文,标注录像只有英文",
        "OpenCV {version} cannot write Chinese: annotated videos are in English",
    ),
    "doctor.font_cv_mend": ("pip install -U 'opencv-python>=5'", "pip install -U 'opencv-python>=5'"),
    "doctor.font_page": (
        "这台机器没有中文字体,浏览器里会是方框",
        "this machine has no Chinese font: a browser here shows boxes",
    ),
    "doctor.font_page_mend": (
        "apt-get install fonts-noto-cjk(或装任一中文字体)",
        "apt-get install fonts-noto-cjk (or any Chinese font)",
    ),
    "doctor.video": ("能写也能读 mp4", "mp4 can be written and read"),
    "doctor.video_none": (
        "OpenCV 不能写 mp4,--render 用不了",
        "OpenCV cannot write mp4: --render does not work",
    ),
    "doctor.video_mend": (
        "pip install --force-reinstall opencv-python",
        "pip install --force-reinstall opencv-python",
    ),
    "doctor.camera": (
        "{name}:{width}×{height},每秒 {fps:.0f} 帧",
        "{name}: {width}×{height}, {fps:.0f} frames a second",
    ),
    "doctor.camera_none": ("没找到摄像头", "no camera was found"),
    "doctor.camera_none_mend": (
        "插上摄像头;或用手机、网络摄像头的地址:pzvision doctor --camera rtsp://…",
        "plug one in; or use a phone's or network camera's address: pzvision doctor --camera rtsp://…",
    ),
    "doctor.camera_denied": ("没有权限打开 {name}", "no permission to open {name}"),
    "doctor.camera_denied_mend": (
        "sudo usermod -aG video $USER,再重新登录",
        "sudo usermod -aG video $USER, then log in again",
    ),
    "doctor.camera_lost": ("{name} 没有画面:{why}", "{name} gives no picture: {why}"),
    "doctor.camera_lost_mend": (
        "看线插好没有、别的程序(会议、直播软件)占着没有;地址先在浏览器或 VLC 里试",
        "check the cable, and that no other program (a meeting, a stream) holds it; try it in VLC first",
    ),
    "doctor.camera_black": ("{name} 的画面是黑的", "{name} shows a black picture"),
    "doctor.camera_black_mend": ("拿掉镜头盖,开灯", "take the lens cap off, switch the light on"),
    "doctor.camera_slow": ("{name} 每秒只有 {fps:.1f} 帧", "{name} gives only {fps:.1f} frames a second"),
    "doctor.camera_slow_mend": (
        "光线弱时摄像头会降帧:加灯;网络摄像头选低一档的清晰度",
        "cameras slow down in weak light: add light; choose a lower resolution on a network camera",
    ),
    "doctor.camera_small": ("{name} 的画面只有 {width}×{height}", "{name} is only {width}×{height}"),
    "doctor.camera_small_mend": ("选 1280×720 或更大的画面", "choose 1280×720 or larger"),
    "doctor.calibration": (
        "{path}:误差 {error:.1f} 像素,牌宽 {tile:.0f} 像素(远端)",
        "{path}: off by {error:.1f} px, a tile is {tile:.0f} px wide at the far side",
    ),
    "doctor.calibration_none": ("还没有标定", "there is no calibration yet"),
    "doctor.calibration_none_mend": ("pzvision calibrate --camera 0", "pzvision calibrate --camera 0"),
    "doctor.calibration_bad": ("标定用不了:{why}", "the calibration cannot be used: {why}"),
    "doctor.calibration_bad_mend": (
        "重新标定:pzvision calibrate --camera 0",
        "calibrate anew: pzvision calibrate --camera 0",
    ),
    "doctor.calibration_doubt": ("{path}:{why}", "{path}: {why}"),
    "doctor.calibration_size": (
        "{path} 是给 {want} 的画面做的,摄像头是 {have}",
        "{path} was made for pictures of {want}, the camera gives {have}",
    ),
    "doctor.port": ("{port} 空着", "{port} is free"),
    "doctor.port_taken": (
        "{port} 被占用,live 会自动换一个",
        "{port} is taken: live will choose another by itself",
    ),
    "doctor.port_taken_bad": ("{port} 被占用", "{port} is taken"),
    "doctor.port_mend": (
        "看是不是已经开着一个 pzvision live;或用 --port 另选",
        "see whether a pzvision live is running already; or give another --port",
    ),
    "doctor.storage": ("{path},剩 {free:.1f} GB", "{path}, {free:.1f} GB free"),
    "doctor.storage_low": ("{path} 只剩 {free:.2f} GB", "{path} has only {free:.2f} GB left"),
    "doctor.storage_low_mend": (
        "腾出空间,或把 PZVISION_DATA 设到别的盘",
        "free some space, or set PZVISION_DATA to another disk",
    ),
    "doctor.storage_bad": ("写不了 {path}:{why}", "cannot write in {path}: {why}"),
    "doctor.storage_bad_mend": (
        "改权限,或把 PZVISION_DATA 设到别的目录",
        "mend its permissions, or set PZVISION_DATA to another folder",
    ),
    "doctor.terminal": ("{encoding}", "{encoding}"),
    "doctor.terminal_bad": (
        "终端编码是 {encoding},中文显示不了",
        "the terminal's encoding is {encoding}: Chinese cannot be shown",
    ),
    "doctor.terminal_mend": ("export LANG=C.UTF-8 PYTHONUTF8=1", "export LANG=C.UTF-8 PYTHONUTF8=1"),
}
