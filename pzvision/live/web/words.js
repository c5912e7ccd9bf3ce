// Every text of the page and the overlay in Chinese and English, and the language now.

const WORDS = {
  zh: {
    title: "攀枝花麻将 · 牌桌", picture: "现场画面", noPicture: "还没有画面", news: "播报", log: "记录", table: "牌桌", map: "俯视", money: "账本",
    ledger: "本局明细", lang: "English", voice: "语音", live: "直播中", recording: "放录像", over: "录像放完了", paused: "已暂停",
    lost: "断开,正在重连…", waiting: "等待开局", hand: "第{n}局", dealer: "庄", wall: "剩余牌", wallSeen: "看着约{n}张", turn: "轮到{who}", lamp: "尾灯",
    river: "河", melds: "副露", held: "手牌", hidden: "{n} 张暗牌", waits: "听", left: "剩{n}", leftMost: "最多剩{n}", fan: "{n}番", nothing: "还没有",
    total: "合计", handTotal: "本局", base: "底 {n}", noNews: "还没有播报", won: "胡了", handOver: "本局结束",
    sing: "唱歌", dance: "跳舞", bai: "摆牌", alarm: "报警", tian_jiao: "天叫", bao_ting: "报听", peng: "碰", none: "没有声明",
    zhi_gang: "点杠", an_gang: "暗杠", ba_gang: "巴杠", E: "东", S: "南", W: "西", N: "北", camera: "摄像头", cameras: "摄像头",
    black: "画面全黑", frozen: "画面不动了", cameraLost: "摄像头断开", opening: "正在打开", moved: "摄像头动过了", calibrate: "重新标定台面", ok: "正常", ended: "放完了", kongs: "可杠",
    illegal: "现在不能胡", dropped: "丢 {n} 帧", reconnects: "重连 {n} 次", delayed: "延时 {n} 秒", latency: "延迟 {n} 毫秒", store: "存档",
    failing: "写不进去", tables: "攀枝花麻将 · 各桌", unwell: "有问题",
    // speaking
    voiceOn: "朗读播报", voiceKinds: "朗读哪些", noVoice: "这台机器的浏览器没有语音", sayTest: "试听", testWords: "东家听牌:胡五万",
    k_dealer: "坐庄", k_ready: "听牌", k_declare: "声明", k_kong_legal: "可以杠", k_win: "胡牌", k_settlement: "结算", k_violation: "违规", k_uncertain: "看不准和更正",
    // corrections
    undo: "撤销上一条", insert: "补一条", resync: "重读牌桌", newHand: "新局和设置", declare: "声明", pause: "暂停", resume: "继续", help: "按键",
    overlay: "直播叠加层", unsure: "这张看不准:", unsureOf: "{who}这张看不准:", fixTile: "改成哪张牌", fixOwner: "是谁的", fixKind: "怎么杠的", whose: "谁",
    askUndo: "撤销“{what}”?", askResync: "按桌上现在的牌重新读一遍,以前没看清的以现在为准。要重读吗?", yes: "确定", no: "取消", close: "关闭", done: "改好了",
    refused: "没有改成", offline: "连不上程序", before: "插在这条之前", after: "插在这条之后", atEnd: "接在最后", what: "什么事", tile: "牌",
    draw: "摸牌", discard: "打牌", gang: "杠", win: "胡", leave: "离桌", self_draw: "自摸", rob_kong: "抢杠", by: "怎么胡的", from_discard: "别人打的",
    shownTiles: "亮出的牌(可不填)", waitTiles: "听的牌(可不填)", handTiles: "手里的牌,不算胡的那张(可不填)", clear: "清空", noEvents: "还没有记录", editThis: "改这条", lying: "桌上这张",
    when: "从什么时候", current: "这一局设错了,改这一局", next: "从下一局起", now: "这局算完,马上开新局", ruleset: "规则", stake: "底", names: "名字", same: "不变",
    doubtful: "看不准", typeTile: "键盘:先数字再 m 万 s 条 p 筒",
    removeThis: "没有这回事", seat: "谁",
    width: "宽", height: "高", scale: "缩放", theme: "样子", seats: "座位", show: "显示", felt: "绿呢", paper: "宣纸", plain: "素", address: "地址", copy: "复制", copied: "已复制",
    saveLoader: "存成文件(OBS 用“本地文件”打开,先开后开都行)", openOverlay: "打开看看",
    p_info: "局况", p_seats: "座位", p_melds: "副露", p_hands: "没亮的手牌", p_waits: "听牌", p_money: "输赢", p_news: "播报", p_settle: "结算动画",
    // overlay
    stale: "信号中断", stalePicture: "画面中断", settled: "本局结算", noPay: "没有输赢", overlayOver: "录像放完了",
    // keys
    h_help: "这张表", h_undo: "撤销上一条", h_insert: "补一条", h_declare: "声明", h_resync: "重读牌桌", h_hand: "新局和设置", h_pause: "暂停和继续",
    h_confirm: "看不准时选第一、第二种", h_voice: "朗读开关", h_lang: "中文 English", h_overlay: "直播叠加层", h_news: "播报和记录", h_map: "牌桌和俯视", h_move: "在牌之间移动", h_open: "改选中的牌", h_close: "关掉窗口",
  },
  en: {
    title: "Panzhihua mahjong table", picture: "Live picture", noPicture: "No picture yet", news: "Announcements", log: "Log", table: "Table", map: "From above",
    money: "Ledger", ledger: "This hand", lang: "中文", voice: "Voice", live: "Live", recording: "Recording", over: "Recording is over", paused: "Paused",
    lost: "Disconnected, retrying…", waiting: "Waiting for a hand", hand: "Hand {n}", dealer: "Dealer", wall: "tiles left", wallSeen: "about {n} seen", turn: "{who} to play", lamp: "Tail lamp",
    river: "River", melds: "Melds", held: "Hand", hidden: "{n} hidden", waits: "Waits", left: "{n} left", leftMost: "at most {n} left", fan: "{n} fan", nothing: "Nothing yet",
    total: "Total", handTotal: "Hand", base: "base {n}", noNews: "Nothing announced yet", won: "Won", handOver: "Hand over",
    sing: "sings", dance: "dances", bai: "shows", alarm: "alarm", tian_jiao: "tian jiao", bao_ting: "ready called", peng: "peng", none: "none",
    zhi_gang: "claimed kong", an_gang: "concealed kong", ba_gang: "added kong", E: "E", S: "S", W: "W", N: "N", camera: "Camera", cameras: "Cameras",
    black: "picture is black", frozen: "picture is frozen", cameraLost: "camera lost", opening: "opening", moved: "camera was moved", calibrate: "Calibrate the table anew", ok: "well", ended: "over", kongs: "Kongs",
    illegal: "may not win now", dropped: "{n} frames dropped", reconnects: "{n} reconnects", delayed: "{n} s behind", latency: "{n} ms", store: "Store",
    failing: "cannot be written", tables: "Panzhihua mahjong tables", unwell: "not well",
    voiceOn: "Speak announcements", voiceKinds: "What is spoken", noVoice: "This browser has no voice", sayTest: "Try it", testWords: "East is ready: waits 5 of characters",
    k_dealer: "Dealer", k_ready: "Ready hands", k_declare: "Declarations", k_kong_legal: "Possible kongs", k_win: "Wins", k_settlement: "Settlement", k_violation: "Violations", k_uncertain: "Doubts and corrections",
    undo: "Undo last", insert: "Insert", resync: "Read table again", newHand: "Hand and settings", declare: "Declare", pause: "Pause", resume: "Resume", help: "Keys",
    overlay: "Stream overlay", unsure: "Not sure of this tile:", unsureOf: "Not sure of {who}'s tile:", fixTile: "Which tile is it", fixOwner: "Whose is it", fixKind: "Kind of meld", whose: "Who",
    askUndo: "Undo “{what}”?", askResync: "Read everything anew from the tiles on the table now?", yes: "Yes", no: "Cancel", close: "Close", done: "Corrected",
    refused: "Not changed", offline: "The program does not answer", before: "before this one", after: "after this one", atEnd: "at the end", what: "What", tile: "Tile",
    draw: "draws", discard: "discards", gang: "kong", win: "wins", leave: "leaves", self_draw: "self-draw", rob_kong: "robbed kong", by: "How", from_discard: "on a discard",
    shownTiles: "Tiles shown (may be empty)", waitTiles: "Waits (may be empty)", handTiles: "Hand without the winning tile (may be empty)", clear: "Clear", noEvents: "No records yet", editThis: "Correct this", lying: "This tile on the table",
    when: "From when", current: "This hand was set up wrongly: change it", next: "From the next hand on", now: "This hand is over: begin a new one now", ruleset: "Rules", stake: "Base", names: "Names", same: "unchanged",
    doubtful: "not sure", typeTile: "Keyboard: a digit, then m characters, s bamboos, p dots",
    removeThis: "This never happened", seat: "Who",
    width: "Width", height: "Height", scale: "Scale", theme: "Theme", seats: "Seats", show: "Show", felt: "felt", paper: "paper", plain: "plain", address: "Address", copy: "Copy", copied: "Copied",
    saveLoader: "Save as a file (open it in OBS as a local file; it waits for the program)", openOverlay: "Open it",
    p_info: "Hand", p_seats: "Seats", p_melds: "Melds", p_hands: "Hidden hands", p_waits: "Waits", p_money: "Money", p_news: "Announcements", p_settle: "Settlement",
    stale: "Signal lost", stalePicture: "Picture lost", settled: "Settlement", noPay: "Nobody pays", overlayOver: "Recording is over",
    h_help: "this list", h_undo: "undo the last record", h_insert: "insert a missed record", h_declare: "declaration", h_resync: "read the table again", h_hand: "new hand and settings", h_pause: "pause or resume",
    h_confirm: "first or second reading of a doubt", h_voice: "voice on or off", h_lang: "English 中文", h_overlay: "stream overlay", h_news: "announcements or log", h_map: "seats or from above", h_move: "move between tiles", h_open: "correct the chosen tile", h_close: "close the window",
  },
};

export const SEATS = ["E", "S", "W", "N"];
export const LANGS = Object.keys(WORDS);
const query = new URLSearchParams(location.search);

export function remembered(key) { try { return localStorage.getItem(key); } catch { return null; } }
export function remember(key, value) { try { localStorage.setItem(key, value); } catch { /* a private window */ } }

let current = query.get("lang") || remembered("lang") || "zh";
if (!LANGS.includes(current)) current = "zh";

export function lang() { return current; }
export function setLang(next) { current = next; remember("lang", next); }

/** A text in the language now; `{name}` is filled from `fields`. A key that is none is shown as it is. */
export function say(key, fields = {}) {
  return (WORDS[current][key] ?? String(key)).replace(/\{(\w+)\}/g, (_, name) => fields[name] ?? "");
}
