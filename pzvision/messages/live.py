"""What the program says aloud about a running game."""

from __future__ import annotations

from typing import Final

MESSAGES: Final[dict[str, tuple[str, str]]] = {
    "live.declarations_beside": (
        "用录像旁边的声明 {path}",
        "spoken declarations from {path}, beside the recording",
    ),
    # Answers of the API.
    "api.token": (
        "要口令:用手机扫终端里的二维码,或打开终端里给出的网址",
        "a token is needed: scan the QR code in the terminal, or open the address shown there",
    ),
    "api.foreign": ("别的网页发来的请求,不收", "refused: the request comes from another page"),
    "api.too_long": ("太长:最多 {most} 字节", "too long: at most {most} bytes"),
    "api.not_json": ("请求要用 application/json", "expected Content-Type: application/json"),
    "api.no_object": ("请求不是 JSON 对象", "expected a JSON object"),
    "api.fixed": ("这里放的是录像,不能改", "nothing can be changed here"),
    "api.busy": ("牌局没有回应,再试一次", "the game does not answer, try again"),
    "api.refused": ("不行:{text}", "{text}"),
    # Announcements.
    "announce.dealer": ("第{hand}局,{seat}坐庄", "Hand {hand}: {seat} is the dealer"),
    "announce.next_dealer": ("下一局{seat}坐庄", "{seat} deals the next hand"),
    "announce.ready": ("{seat}听牌:胡{tiles}", "{seat} is ready: waits {tiles}"),
    "announce.ready_more": (",剩{left}张", ", {left} left"),
    "announce.ready_fan": (",最大{fan}番", ", worth up to {fan} fan"),
    "announce.ready_none": (",但现在不能胡", ", but none of them may win now"),
    "announce.declared": ("{seat}{what}", "{seat} {what}"),
    "announce.declared_waits": ("{seat}{what},听{tiles}", "{seat} {what}, waits {tiles}"),
    "announce.dance_forbids": (",没唱没跳的不能打{tiles}", "; nobody undeclared may discard {tiles}"),
    "announce.kong": ("{seat}可以{kind}{tile}{price}", "{seat} may {kind} {tile}{price}"),
    "announce.kong_each": (",收每家{amount}", ", {amount} from each"),
    "announce.kong_one": (",收{payer}{amount}", ", {amount} from {payer}"),
    "announce.kong_free": (",不收钱", ", which pays nothing"),
    "announce.kong_wins": (",补尾灯{tile}就是杠上花", ", and the tail lamp {tile} wins at once"),
    "announce.win_self_draw": ("{seat}自摸{tile},胡了{score}", "{seat} wins by self-draw on {tile}{score}"),
    "announce.win_discard": ("{seat}胡{source}打的{tile}{score}", "{seat} wins on {source}'s {tile}{score}"),
    "announce.win_rob_kong": (
        "{seat}抢{source}的杠,胡{tile}{score}",
        "{seat} robs {source}'s kong and wins on {tile}{score}",
    ),
    "announce.win_score": (":{score}", ": {score}"),
    "announce.win_unknown": (",牌没看全,先不算", "; the hand is not fully seen, so it is not settled"),
    "announce.pays": (
        "{payers}付{seat}{each}{amount}({why})",
        "{payers} {pay} {seat} {amount}{each} ({why})",
    ),
    "announce.each": ("各", " each"),
    "announce.totals": ("本局结算:{totals}", "The hand is settled: {totals}"),
    "announce.unfinished": ("录像到此为止,本局未完", "The recording ends here, the hand is unfinished"),
    "announce.violation": ("{seat}{what}", "{seat}: {what}"),
    "announce.problem": ("看不明白:{what}", "Does not add up: {what}"),
    "announce.retract": ("更正,刚才这句不算:{text}", "Correction, this does not hold: {text}"),
    "announce.doubt": ("看不准:{seat}{act}的是{tiles}?", "Not sure: did {seat} {act} {tiles}?"),
    "announce.wall_off": (
        "牌墙看着还有{seen}张左右,照记录该剩{left}张:可能漏记或多记了",
        "The wall looks like about {seen} tiles, by the records {left} are left:"
        " some may be missing or too many",
    ),
    "announce.doubt_record": ("看不准:{readings}?", "Not sure: {readings}?"),
    "announce.or": ("还是", " or "),
    "announce.unsettled": (
        "有人的牌没看到,查叫可能没算全",
        "Some hands were not seen: payments for unready hands may be missing",
    ),
    "act.draw": ("摸", "draw"),
    "act.discard": ("打", "discard"),
    "act.peng": ("碰", "peng"),
    "act.gang": ("杠", "kong"),
    "act.win": ("胡", "win on"),
    "act.tail_lamp": ("尾灯", "turn up"),
    # Records, one a line.
    "record.hand_start": ("新的一局", "a new hand"),
    "record.deal": ("{seat}拿好牌", "{seat} has the dealt tiles"),
    "record.tail_lamp": ("尾灯 {tile}", "The tail lamp is {tile}"),
    "record.draw": ("{seat}摸牌", "{seat} draws"),
    "record.draw_seen": ("{seat}摸 {tile}", "{seat} draws {tile}"),
    "record.discard": ("{seat}打 {tile}", "{seat} discards {tile}"),
    "record.peng": ("{seat}碰 {tile}", "{seat} pengs {tile}"),
    "record.zhi_gang": ("{seat}点杠 {tile}", "{seat} claims the kong of {tile}"),
    "record.an_gang": ("{seat}暗杠 {tile}", "{seat} makes a concealed kong of {tile}"),
    "record.ba_gang": ("{seat}巴杠 {tile}", "{seat} adds the kong of {tile}"),
    "record.declare": ("{seat}{what}", "{seat} {what}"),
    "record.win": ("{seat}胡 {tile}", "{seat} wins on {tile}"),
    "record.reveal": ("{seat}摊牌", "{seat} shows the hand"),
    "record.leave": ("{seat}离桌", "{seat} leaves the table"),
    "record.hand_end": ("牌谱到此", "the log of this hand ends"),
    # Declarations.
    "declare.sing": ("唱歌", "sings"),
    "declare.dance": ("跳舞", "dances"),
    "declare.bai": ("摆牌", "shows the hand (bai pai)"),
    "declare.alarm": ("报警", "calls the alarm"),
    "declare.tian_jiao": ("天叫", "calls tian jiao"),
    "declare.bao_ting": ("报听", "calls ready (bao ting)"),
    # Kongs as something one does.
    "kong.zhi_gang": ("点杠", "claim the kong of"),
    "kong.an_gang": ("暗杠", "make a concealed kong of"),
    "kong.ba_gang": ("巴杠", "add the kong of"),
    # Notes of replay, live and demo.
    "live.page": ("牌桌页面:{url}", "Table page: {url}"),
    "live.rules_last": (
        "规则同上一场:{name}({id});页面上按 n 可以换,或用 --ruleset",
        "Rules as last time: {name} ({id}); change them on the page (key n) or with --ruleset",
    ),
    "live.rules_usual": (
        "没说打哪种,先按{name}({id});页面上按 n 可以换,或用 --ruleset",
        "No rules were given: {name} ({id}) for now; change them on the page (key n) or with --ruleset",
    ),
    "live.calibrate_first": (
        "还没有标定:先在页面上把 1–4 拖到台面的四个角,按保存",
        "There is no calibration yet: drag 1–4 onto the table's corners on the page and save",
    ),
    "live.port_taken": ("端口 {port} 被占用,改用 {new}", "Port {port} is taken, using {new}"),
    "live.page_stays": ("录像放完了;按 Ctrl-C 关闭页面", "The recording is over; Ctrl-C closes the page"),
    "live.settlement": ("结算", "Settlement"),
    "live.no_hand": ("没有看到牌局", "No hand was seen"),
    "live.total": ("合计", "Total"),
    "live.hand": ("第{hand}局", "Hand {hand}"),
    "live.wall": ("剩余牌 {n}", "{n} tiles left"),
    "live.dealer_mark": ("庄", "dealer"),
    "live.won_mark": ("胡了", "won"),
    "live.waits_mark": ("听", "waits"),
    "live.cut": (
        "录像到此为止,本局未完,没有查叫",
        "The recording ends here, the hand is unfinished: no ready check",
    ),
    "live.cut_short": (
        "没看到这一局打完,没有查叫",
        "This hand was not seen to its end: no ready check",
    ),
    "live.ledger_line": (
        "  {t:>7}  {source} → {target}  {amount:>5}  {why}",
        "  {t:>7}  {source} -> {target}  {amount:>5}  {why}",
    ),
    "live.written": ("写好了 {path}", "Wrote {path}"),
    # Calibration.
    "calibrate.page": (
        "打开 {url} ,把四个角拖到台面的角上,按保存",
        "Open {url}, drag the four corners onto the corners of the felt and press save",
    ),
    "calibrate.error": (
        "重投影误差 最大 {error:.1f} 像素(焦距 {focal:.0f} 像素)",
        "Reprojection error: at most {error:.1f} px (focal length {focal:.0f} px)",
    ),
    "calibrate.eye": (
        "摄像头 高 {height:.0f} 厘米,离台面中心 {distance:.0f} 厘米,俯角 {angle:.0f}°",
        "Camera: {height:.0f} cm high, {distance:.0f} cm from the table's centre, looking down {angle:.0f}°",
    ),
    "calibrate.tiles": (
        "一张牌在画面里 近处 {near},远处 {far} 像素",
        "A tile in the picture: {near} px near, {far} px far",
    ),
    "calibrate.warn_error": (
        "注意:四个角对不准,再放大看看每个角",
        "Note: the corners do not fit a square well; check each of them",
    ),
    "calibrate.warn_small": (
        "注意:牌太小,可能看不清;摄像头放近些或提高分辨率",
        "Note: tiles are small and may be misread; move the camera nearer or use a higher resolution",
    ),
    "calibrate.warn_low": (
        "注意:摄像头太低,牌会互相挡住;放高些",
        "Note: the camera is low, tiles hide each other; place it higher",
    ),
}
