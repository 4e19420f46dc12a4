import type { CharsetLabel } from "./charset-labels.ts";

export type Script = "Latin" | "Cyrillic" | "Greek" | "Arabic" | "Hebrew" | "Thai" | "Han" | "Hangul";

export interface Charset {
  readonly name: CharsetLabel;
  readonly script: Script;
  /** Non-ASCII letters of each language that uses it, in tiers from frequent to rare. */
  readonly languages: readonly Tiers[];
}
type Tiers = readonly string[];

const WESTERN: readonly Tiers[] = [
  ["äöüßÄÜÖ"],
  ["éèçêàâîôûëïùœÉÈÇÀÊÎ"],
  ["áéíóñúüÁÉÍÓÑÚ"],
  ["ãçáéíóêõâôúàÁÉÍÓÇÃ"],
  ["òèàìùéÒÈÀ"],
  ["äåöéÄÅÖÉ"],
  ["øæåéØÆÅ"],
  ["ëïéèöüó"],
  // Icelandic uses the same bytes as Turkish, which is more common.
  ["", "áðéíóúýþæöÁÐÉÍÓÚÝÞÆÖ"],
];
const CENTRAL: readonly Tiers[] = [
  ["ąćęłńóśźżŁŚŻŹĆÓ"],
  ["áčďéěíňóřšťúůýžČŘŠŽÁÉÚĎŤŇ"],
  ["áčďéíĺľňóôŕšťúýžäČŠŽĽÁ"],
  ["áéíóöőúüűÁÉÍÓÖŐÚÜŰ"],
  ["čćđšžČĆĐŠŽ"],
  ["ăâîşţŞŢÎĂÂ"],
  ["äüößÄÜÖ"],
];
const CYRILLIC = [
  ["оаеинтрсвл", "кмдпуяыьгз", "бчйхжшюцщэфъё"],
  ["оаинітерв", "слкдумпяз", "ьбгйчхжцюшєїщфґ"],
  ["аоеинтрсвл", "кдпмзяъгу", "бчщйцжшхюфь"],
  ["аоиенрјсту", "вкдпмљзб", "гњшчјхцжћђџф"],
  ["аніеоырксц", "лдятувпзм", "ўьбйгчхшжюёэф"],
].map((tiers) => tiers.map((letters) => letters + letters.toUpperCase()));
const GREEK: readonly Tiers[] = [["αοιετσνηυρΑΟΙΕΤΣΝ", "πκμλςίόέάύήώΠΚΜΛΗΥΡ", "γδθχωβφζξψϊϋΓΔΘΧΩΒΦΖΞΨΆΈΉΊΌΎΏ"]];
const ARABIC: readonly Tiers[] = [
  ["المينورتبع", "دهةسحفكقأ", "جشصخطضزذثظغىئءإآؤ"],
  ["اینردهمتوش", "سبلپکگخفزق", "چعحجغصطژءآئ"],
];
const HEBREW: readonly Tiers[] = [["יוהלאמרשתב", "דנםחקכעט", "פסגזצןךףץ"]];

/** Characters that are common in names and table headers, for scripts with thousands of characters. */
export const COMMON_CHARACTERS = {
  gb18030:
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何林高罗郑梁谢宋唐许韩冯邓曹小明伟芳娜敏静丽强磊军洋勇艳杰娟涛超华文国建玲梅红姓名电话手机号码公司邮箱备注联系",
  big5: "陳林黃張李王吳劉蔡楊許鄭謝郭洪曾邱廖賴周徐蘇葉呂江何蕭羅高美玲志明家豪淑芬雅惠文華英俊姓名電話手機號碼公司郵件備註聯絡人",
  shift_jis:
    "佐藤鈴木高橋田中伊渡辺山本村小林加吉斎松井上清水口野崎森池原島前川岡長谷太郎一子美花真由香氏名電話番号携帯会社姓住所備考",
  "euc-jp":
    "佐藤鈴木高橋田中伊渡辺山本村小林加吉斎松井上清水口野崎森池原島前川岡長谷太郎一子美花真由香氏名電話番号携帯会社姓住所備考",
  "euc-kr":
    "김이박최정강조윤장임한오서신권황안송류홍전고문양손배백허남심노하곽성차주우구민수지은현영진준호희경미선연아유동혁재훈상철름화번성명휴대폰회사메일락처",
} as const;

/** Candidates; among equal scores the earlier one wins. */
export const charsets: readonly Charset[] = [
  { name: "windows-1252", script: "Latin", languages: WESTERN },
  { name: "windows-1250", script: "Latin", languages: CENTRAL },
  { name: "windows-1254", script: "Latin", languages: [["ıçğşöüİÇĞŞÖÜâîû"]] },
  {
    name: "windows-1257",
    script: "Latin",
    languages: [["āšņīžēļčģķūĀŠŅĪŽĒĻČĢĶŪ"], ["ėščūžąęįųŠČŪŽĖĄĘĮŲ"], ["äõöüšžÄÕÖÜŠŽ"]],
  },
  { name: "windows-1251", script: "Cyrillic", languages: CYRILLIC },
  { name: "windows-1253", script: "Greek", languages: GREEK },
  { name: "windows-1256", script: "Arabic", languages: ARABIC },
  { name: "windows-1255", script: "Hebrew", languages: HEBREW },
  { name: "windows-874", script: "Thai", languages: [] },
  { name: "euc-kr", script: "Hangul", languages: [] },
  { name: "shift_jis", script: "Han", languages: [] },
  { name: "gb18030", script: "Han", languages: [] },
  { name: "big5", script: "Han", languages: [] },
  { name: "euc-jp", script: "Han", languages: [] },
  {
    name: "windows-1258",
    script: "Latin",
    languages: [["đơưăâêôóáàéèúùíýãõ\u0300\u0301\u0303\u0309\u0323ĐƠƯĂÂÊÔ"]],
  },
  { name: "koi8-u", script: "Cyrillic", languages: CYRILLIC },
  { name: "ibm866", script: "Cyrillic", languages: CYRILLIC },
  { name: "iso-8859-5", script: "Cyrillic", languages: CYRILLIC },
  { name: "iso-8859-2", script: "Latin", languages: CENTRAL },
  { name: "iso-8859-7", script: "Greek", languages: GREEK },
  { name: "iso-8859-6", script: "Arabic", languages: ARABIC },
  { name: "macintosh", script: "Latin", languages: WESTERN },
  { name: "x-mac-cyrillic", script: "Cyrillic", languages: CYRILLIC },
];
