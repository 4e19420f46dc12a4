import type { ContactDetails } from "../contact-details.ts";
import { foldText } from "../fold-text.ts";

/**
 * Column headers of Outlook, Google, Apple, Yahoo and spreadsheets in many languages. They are compared without case, accents and
 * punctuation (see `cleanHeader`).
 */
const HEADERS = {
  /** A person's full name; headers that can only mean a person come first. */
  full: `contact person|contact name|person|ansprechpartner|ansprechpartnerin|kontaktperson|contactpersoon|persona de contacto|personne a contacter|
    referente|persona di contatto|pessoa de contato|контактное лицо|контактна особа|osoba kontaktowa|kontaktni osoba|yetkili kisi|مسؤول الاتصال|联系人|聯絡人|
    担当者|担当者名|담당자|người liên hệ|संपर्क व्यक्ति|full name|fullname|display name|complete name|customer name|client name|file as|name|names|contact|contacts|
    vollständiger name|anzeigename|angezeigter name|voller name|kontakt|nom complet|nom affiché|nom et prénom|nom prénom|prénom et nom|prénom nom|
    nombre completo|nombre y apellidos|nombre para mostrar|apellidos y nombre|contacto|nome completo|nome e cognome|nome visualizzato|cognome e nome|
    nominativo|contatto|nome e sobrenome|nome de exibição|contato|volledige naam|weergavenaam|naam|contactpersonen|imię i nazwisko|nazwisko i imię|
    nazwa wyświetlana|pełne imię|celé jméno|jméno a příjmení|zobrazované jméno|meno a priezvisko|név|teljes név|megjelenített név|nume complet|
    nume si prenume|fullständigt namn|visningsnamn|namn|fuldt navn|navn|visningsnavn|fullt navn|koko nimi|nimi|tam ad|tam adı|ad soyad|adı soyadı|
    isim soyisim|görünen ad|фио|ф и о|полное имя|отображаемое имя|контакт|имя и фамилия|фамилия имя отчество|фамилия имя|имя фамилия|піб|повне імя|
    ім'я та прізвище|прізвище та ім'я|прізвище ім'я по батькові|контакти|пълно име|име и фамилия|име и презиме|puno ime|ime i prezime|όνομα και επώνυμο|ονοματεπώνυμο|πλήρες όνομα|
    الاسم|الاسم الكامل|الاسم بالكامل|اسم|اسم جهة الاتصال|اسم العرض|שם|שם מלא|שם לתצוגה|نام و نام خانوادگی|نام کامل|नाम|पूरा नाम|प्रदर्शन नाम|পুরো নাম|নাম|
    姓名|全名|名称|名稱|显示名称|顯示名稱|联系人姓名|联系人名称|氏名|お名前|名前|フルネーム|表示名|이름|성명|전체 이름|표시 이름|họ và tên|họ tên|tên đầy đủ|tên hiển thị|nama|
    nama lengkap|ชื่อ สกุล|ชื่อ นามสกุล|ชื่อเต็ม|jina|jina kamili`,
  first: `first|first name|firstname|fname|given|given name|givenname|forename|christian name|middle|middle name|middlename|additional name|second name|
    vorname|rufname|zweiter vorname|weitere vornamen|prénom|prenom|deuxième prénom|nombre|nombres|nombre de pila|primer nombre|segundo nombre|nome|primo nome|
    secondo nome|nome proprio|primeiro nome|segundo nome|nome do meio|nome próprio|voornaam|roepnaam|tweede voornaam|imię|drugie imię|jméno|křestní jméno|druhé jméno|
    meno|krstné meno|keresztnév|utónév|prenume|förnamn|mellannamn|fornavn|mellemnavn|mellomnavn|etunimi|toinen nimi|ad|adı|isim|ilk ad|ikinci ad|
    имя|отчество|второе имя|ім'я|по батькові|име|презиме|бащино име|ime|όνομα|μεσαίο όνομα|الاسم الأول|الاسم الاول|الاسم الأوسط|الاسم الشخصي|اسم الأب|
    שם פרטי|שם אמצעי|نام|نام کوچک|पहला नाम|प्रथम नाम|मध्य नाम|名|名字|中间名|中間名|ミドルネーム|tên|tên đệm|nama depan|nama tengah|ชื่อ|ชื่อจริง|ชื่อกลาง|
    jina la kwanza`,
  last: `last|last name|lastname|lname|surname|family|family name|familyname|maternal surname|paternal surname|nachname|familienname|zuname|nom|nom de famille|
    apellido|apellidos|apellido paterno|apellido materno|primer apellido|segundo apellido|cognome|sobrenome|apelido|último nome|achternaam|familienaam|tussenvoegsel|
    tussenvoegsels|nazwisko|příjmení|priezvisko|vezetéknév|családnév|nume de familie|nume|efternamn|efternavn|etternavn|sukunimi|soyad|soyadı|soy isim|soyisim|
    фамилия|прізвище|фамилно име|prezime|επώνυμο|επίθετο|اسم العائلة|اللقب|الكنية|العائلة|اسم الأخير|الاسم الأخير|الاسم الاخير|שם משפחה|نام خانوادگی|उपनाम|कुलनाम|अंतिम नाम|姓|姓氏|
    苗字|성|성씨|họ|họ và tên đệm|nama belakang|nama keluarga|นามสกุล|สกุล|jina la mwisho|jina la ukoo`,
  company: `company|company name|organization|organisation|organization name|organisation name|organization 1 name|employer|business|business name|firm|account|
    account name|firma|firmenname|unternehmen|organisationsname|arbeitgeber|société|entreprise|organisation 1 nom|nom de l'entreprise|empresa|nombre de la empresa|
    organización|compañía|azienda|società|ditta|organizzazione|nome azienda|nome da empresa|organização|companhia|bedrijf|bedrijfsnaam|organisatie|werkgever|
    nazwa firmy|organizacja|przedsiębiorstwo|společnost|organizace|název firmy|spoločnosť|cég|cégnév|vállalat|szervezet|companie|firmă|organizație|
    företag|företagsnamn|virksomhed|selskap|bedrift|yritys|organisaatio|şirket|şirket adı|kuruluş|firma adı|kurum|компания|организация|фирма|предприятие|название компании|
    компанія|організація|фірма|tvrtka|poduzeće|компанија|εταιρεία|εταιρία|οργανισμός|επιχείρηση|الشركة|شركة|اسم الشركة|المؤسسة|المنظمة|חברה|ארגון|שם החברה|
    شرکت|سازمان|नाम कंपनी|कंपनी|कंपनी का नाम|संगठन|公司|公司名称|公司名稱|单位|單位|组织|組織|会社|会社名|企業|勤務先|회사|회사명|조직|công ty|tên công ty|tổ chức|perusahaan|บริษัท|kampuni`,
  notes: `note|notes|comment|comments|remark|remarks|memo|description|notiz|notizen|bemerkung|bemerkungen|kommentar|kommentare|anmerkung|anmerkungen|notes et remarques|
    remarque|remarques|commentaire|commentaires|nota|notas|comentario|comentarios|observaciones|annotazioni|appunti|commenti|observações|comentários|anotações|notitie|
    notities|opmerking|opmerkingen|notatka|notatki|uwagi|komentarz|poznámka|poznámky|megjegyzés|jegyzet|jegyzetek|notiță|note si observatii|anteckning|anteckningar|
    bemærkninger|noter|notater|merknader|muistiinpano|muistiinpanot|huomautuksia|not|notlar|açıklama|заметка|заметки|примечание|примечания|комментарий|комментарии|
    описание|нотатки|примітка|примітки|коментар|бележки|bilješke|napomena|σημείωση|σημειώσεις|σχόλια|ملاحظة|ملاحظات|תיאור|הערה|הערות|یادداشت|توضیحات|नोट|नोट्स|टिप्पणी|备注|備註|
    附注|注释|メモ|備考|ノート|메모|비고|참고|ghi chú|catatan|keterangan|หมายเหตุ|บันทึก|maelezo`,
  favorite: `favorite|favourite|favorites|favourites|starred|labels|label|group membership|categories|category|favorit|favoriten|favori|favoris|favorito|favoritos|
    preferito|preferiti|favoriet|ulubione|oblíbené|избранное|обране|पसंदीदा|مفضل|المفضلة|收藏|お気に入り|즐겨찾기|yêu thích`,
} as const satisfies ContactDetails<string> & Readonly<Record<string, string>>;
export type NamedRole = keyof typeof HEADERS;

/** The headers of each role with their rank, the clearest first. */
const ROLE_HEADERS: ReadonlyMap<NamedRole, ReadonlyMap<string, number>> = new Map(
  Object.entries(HEADERS).map(([role, heads]) => [
    role as NamedRole,
    new Map(
      heads
        .split("|")
        .map((head, place): [string, number] => [cleanHeader(head), place])
        .toReversed(),
    ),
  ]),
);

/** How clearly a header names a role, 0 being the clearest; null if it does not. @param head from `cleanHeader` */
export function rankOfHeader(role: NamedRole, head: string): number | null {
  return ROLE_HEADERS.get(role)?.get(head) ?? null;
}

/** Whether a header is known for any role except phones. */
export function isKnownHeader(head: string): boolean {
  return [...ROLE_HEADERS.values()].some((heads) => heads.has(head));
}

/** Normalises a header for comparison: "FirstName*" and "first_name" become "first name". */
export function cleanHeader(head: string): string {
  return foldText(head.trim().replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2"))
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, " ")
    .trim();
}
