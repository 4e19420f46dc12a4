/** What a flag, a status or a change word says; `unknown` for a word that no table has. */
type WordMeaning = "yes" | "no" | "unknown";
type StatusMeaning = "open" | "closed" | "unknown";

/** Lower-case words of letters and digits in any script, without accents. Turkish capitals lose the dot's difference. */
export function plainWords(text: string): string {
  return text
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/\p{M}/gu, "")
    .replaceAll("ı", "i")
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

/** A pattern of whole words in what `plainWords` returns; "*" stands for any ending. Chinese writes no spaces, so its words count anywhere. */
export function patternOf(words: readonly string[]): RegExp {
  const all = words.flatMap((line) => line.split("|"));
  const isChinese = (word: string) => /\p{Script=Han}/u.test(word);
  const spaced = all.filter((word) => !isChinese(word)).map((word) => plainWords(word) + (word.endsWith("*") ? "[^ \\d]*" : ""));
  // Letters by their property in each of the words would take a sixth of a second to read.
  return new RegExp([`(?:^| )(?:${spaced.join("|")})(?= |$)`, ...all.filter(isChinese).map(plainWords)].join("|"), "u");
}

function setOf(words: readonly string[]): ReadonlySet<string> {
  return new Set(words.flatMap((line) => line.split("|")).map(plainWords));
}

/**
 * Words for a destination that is not sold, in the languages of carriers. One of them anywhere in a flag, a status, a change word or a
 * price is enough. Sources: JeraSoft ("closed", "stashed"), PortaOne ("discontinued", "forbidden"), Sippy, ASTPP and carriers' notices.
 */
const CLOSED = patternOf([
  "clos*|block*|barr*|bar|suspen*|inactiv*|disabl*|discontin*|delet*|remov*|withdr*|forbid*|prohib*|terminated|ceas*|stop*|expir*",
  "unavailable|not available|not in service|not offered|not supported|not active|not open|not allowed|no longer|unsupported|unroutable|no route",
  "out of service|do not use|restrict*|fraud*|cancel*|deactiv*|obsolete|retired|reject*|refus*|ended|exclud*|ban|banned|hold|stash*|n a|na|not sold",
  "geschlossen|gesperrt*|sperr*|inaktiv|entfernt|gelöscht|entfällt|entfallen|eingestellt|nicht verfügbar|gekündigt|ungültig|verboten",
  "ferm*|bloqu*|suppr*|interdit*|inactif*|désactiv*|indisponible|retir*|non disponible|annul*",
  "cerrad*|eliminad*|prohibid*|no disponible|baja|anulad*|fechad*|inativ*|removid*|indisponível|excluíd*|cancelad*",
  "chius*|bloccat*|sospes*|eliminat*|inattiv*|rimoss*|non disponibile|vietat*|disattiv*|gesloten|geblokkeerd|vervallen|niet beschikbaar|inactief|verwijderd",
  "zamknięt*|zablokowan*|zawieszon*|usunięt*|nieaktywn*|niedostępn*|wycofan*|lezárt|megszűnt|törölt|letiltva",
  "закрыт*|блок*|заблок*|приостанов*|удал*|неактив*|недоступ*|запрещ*|отключ*|kapalı|engel*|askıda|iptal|silindi|pasif|kaldırıldı",
  "tutup|ditutup|blokir|diblokir|nonaktif|tidak aktif|tidak tersedia|dihapus|dihentikan|khóa|đã đóng|ngừng|tạm ngưng|tạm dừng|không hoạt động|đã xóa|hủy",
  "مغلق*|محظور*|موقوف*|معلق*|محذوف*|ملغى|غير متاح|关闭|封锁|封禁|停用|暂停|删除|禁止|不可用|停止|取消|廃止",
]);
/** Descriptions hold names, so only complete words count there. */
const CLOSED_NAME = patternOf([
  "closed|blocked|barred|suspended|discontinued|withdrawn|forbidden|not available|do not use|deleted|inactive|disabled|not in service",
  "not working|no route|unavailable|do not sell|not for sale|stop sale|on request|tba|tbc|fraud*|fermée|suspendu|suspendue|suspendido|nicht verfügbar",
  "geschlossen|gesperrt|fermé|bloqué|cerrado|bloqueado|chiuso|bloccato|fechado|gesloten|geblokkeerd|закрыт|закрыто|заблокирован|kapalı|مغلق|关闭|停用",
]);
/** In a status alone: US tariffs, Sippy and spreadsheets write one letter. */
const CLOSED_LETTERS = setOf(["d|s|del|disc"]);
const OPEN = setOf([
  "open|active|activ|ok|enabled|available|live|valid|current|in service|unblocked|reopened|a|actif|activo|aktiv|ativo|attivo|actief|aktywny|активен|активный",
  "offen|verfügbar|ouvert|ouverte|disponible|abierto|abierta|disponibile|aperto|aberto|disponível|beschikbaar|otwarty|открыт|открыто|доступно|açık|aktif|نشط|مفتوح|متاح|开放|活跃|启用|正常",
  "increase|increased|inc|up|raise|raised|rise|decrease|decreased|dec|down|reduce|reduced|reduction|rate increase|rate decrease|price increase|price decrease|rate reduction",
  "new|added|add|new code|new destination|new rate|code added|update|updated|change|changed|modify|modified|unchanged|no change|no changes|same|current rate|nc",
  "erhöhung|erhöht|senkung|gesenkt|neu|unverändert|geändert|hausse|baisse|augmentation|diminution|nouveau|nouvelle|inchangé|inchangée|modifié",
  "aumento|subida|disminución|bajada|reducción|nuevo|nueva|sin cambio|sin cambios|igual|diminuzione|riduzione|nuovo|invariato|redução|novo|nova|inalterado|sem alteração",
  "hoạt động|đang hoạt động|tersedia|baru|naik|turun",
  "verhoging|verlaging|nieuw|ongewijzigd|wzrost|podwyżka|spadek|obniżka|nowy|bez zmian|emelkedés|csökkenés|új|változatlan",
  "повышение|увеличение|понижение|снижение|новый|новое|без изменений|изменено|artış|azalış|yeni|değişmedi|زيادة|تخفيض|جديد|بدون تغيير|上涨|涨价|下降|降价|新增|不变",
]);
/** Only of a change: a status `I` may be inactive, and `R` may be removed. */
const OPEN_CHANGES = setOf(["i|n|u|inc|dec"]);
const YES = setOf([
  "1|y|yes|true|t|x|on|j|ja|o|oui|s|si|sì|sim|tak|ya|igen|да|evet|نعم|是|wahr|vrai|verdadero|vero|verdadeiro|waar|prawda|истина",
]);
const NO = setOf([
  "0|n|no|false|f|off|none|nein|non|nee|não|nie|nem|tidak|không|нет|hayır|لا|否|falsch|faux|falso|onwaar|fałsz|ложь",
]);
const YES_SIGNS: ReadonlySet<string> = new Set(["✓", "✔", "☑", "√"]);
const EMPTY_SIGNS: ReadonlySet<string> = new Set(["", "-", "–", "—"]);
const CHANGE_SIGNS: ReadonlySet<string> = new Set([...EMPTY_SIGNS, "↑", "↓", "▲", "▼", "=", "+"]);

/** Lists repeat their words and names. */
const MAX_REMEMBERED = 5_000;

/** Remembers what a function says about the texts that it has seen. */
function remembered<Meaning>(read: (text: string) => Meaning): (text: string) => Meaning {
  const known = new Map<string, Meaning>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const meaning = read(text);
    if (known.size < MAX_REMEMBERED) known.set(text, meaning);
    return meaning;
  };
}

/** Whether the carrier is not sure itself: "OK?". */
function isAsked(text: string): boolean {
  return /[?¿؟？]/u.test(text);
}

/** Reads a flag such as "blocked". Its words for closed mean yes, those for open no. */
export const readFlag = remembered((cell: string): WordMeaning => {
  const text = cell.trim();
  if (EMPTY_SIGNS.has(text)) return "no";
  if (YES_SIGNS.has(text)) return "yes";
  if (isAsked(text)) return "unknown";
  const words = plainWords(text);
  if (NO.has(words) || OPEN.has(words)) return "no";
  // "Y (fraud)": a reason after a yes changes nothing, but "No (see notes)" is not understood.
  return YES.has(words.split(" ")[0] ?? "") || CLOSED.test(words) ? "yes" : "unknown";
});

/** Reads a flag such as "active", which must not say no. An empty cell says nothing. */
export function readOpenFlag(cell: string): StatusMeaning {
  const text = cell.trim();
  const words = plainWords(text);
  if (CLOSED.test(words) || NO.has(words)) return "closed";
  if (isAsked(text)) return "unknown";
  return YES_SIGNS.has(text) || YES.has(words) || OPEN.has(words) ? "open" : "unknown";
}

/** Reads a status. */
export const readStatus = remembered((cell: string) => meaningOf(cell.trim(), false));

/** Reads a word of a change column, which may also say how the price has changed. */
export const readChange = remembered((cell: string) => meaningOf(cell.trim(), true));

function meaningOf(text: string, isChange: boolean): StatusMeaning {
  if ((isChange ? CHANGE_SIGNS : EMPTY_SIGNS).has(text)) return "open";
  const words = plainWords(text);
  if (CLOSED.test(words) || CLOSED_LETTERS.has(words)) return "closed";
  if (isAsked(text)) return "unknown";
  return OPEN.has(words) || (isChange && OPEN_CHANGES.has(words)) ? "open" : "unknown";
}

/** Whether a price cell says that there is none. */
export function isClosedPrice(cell: string): boolean {
  return !/\d/.test(cell) && CLOSED.test(plainWords(cell));
}

/** Words in a name by which a row prices something else than a call to its prefix. */
const CONDITION = patternOf([
  "surcharge*|additive|add on|addon|supplement*|zuschlag|zuschläge|aufschlag|aufpreis|recargo|suplemento|surtaxe|supplément*|supplemento|sovrapprezzo|toeslag|dopłata|надбавка|доплат*|ek ücret|biaya tambahan|phụ phí|附加费",
  "origin|origins|originat*|orig|herkunft|origine|origen|origem|herkomst|a number|ani|caller id|eea|ewr|eee|seer|from eu|from the eu|intra eu|non eu|outside eu|outside the eu|rest of world|非欧",
  "night*|evening*|daytime|weekday*|nacht*|nuit|noche|notte|ночь*|ночн*|gece|malam|ban đêm|夜间",
  "eu|roaming|minimum|first minute*|next minute*|percent*|flat fee|flat rate|monthly|per message|holiday*|week end",
  "heures creuses|heures pleines|jusqu au|valid to|valid till",
  "peak|off peak|offpeak|weekend*|sms|mms|inbound|incoming|per call|connection fee|set up fee|setup fee|effective|valid from|valid until|until|expires",
]);

/** What a description or name says besides the destination. */
export const nameCondition = remembered((text: string): "closed" | "conditional" | null => {
  const words = plainWords(text);
  if (CONDITION.test(words) || /(?<!\p{L})min \d/u.test(words)) return "conditional";
  return CLOSED_NAME.test(words) ? "closed" : null;
});
