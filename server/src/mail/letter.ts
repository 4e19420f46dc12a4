import type { Language } from "@farline/contract/languages.ts";

/** The parts of a mail in order, all plain text. */
export interface Letter {
  readonly language: Language;
  readonly direction: "ltr" | "rtl";
  readonly subject: string;
  readonly greeting: string;
  readonly paragraphs: readonly string[];
  /** Short lines, for example time and device. */
  readonly facts: readonly string[];
  readonly button: { readonly label: string; readonly url: string };
  readonly linkHint: string;
  readonly note: string;
  /** Opened by who reads the note. */
  readonly noteUrl?: string;
  readonly footer: string;
  /** Support address. */
  readonly help: string;
}

/** The plain-text part. */
export function letterText(letter: Letter): string {
  const blocks = [
    letter.greeting,
    ...letter.paragraphs,
    ...(letter.facts.length > 0 ? [letter.facts.join("\n")] : []),
    `${letter.button.label}\n${letter.button.url}`,
    letter.noteUrl === undefined ? letter.note : `${letter.note}\n${letter.noteUrl}`,
    `-- \nFarline\n${letter.footer}\n${letter.help}`,
  ];
  return `${blocks.join("\n\n")}\n`;
}

const FONT = "font-family:'Noto Sans','Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif;";

/**
 * Mail clients support little more than tables and inline styles. The style sheet is for those with a dark mode: it has
 * the colours of the web app's dark theme.
 */
const STYLE = `
:root { color-scheme: light dark; supported-color-schemes: light dark; }
@media (prefers-color-scheme: dark) {
  .page { background-color: #07181e !important; }
  .sheet { background-color: #10272f !important; }
  .text, .text a { color: #edf4f5 !important; }
  .muted, .muted a { color: #a9c1c8 !important; }
  .facts { background-color: #1c3a45 !important; }
}`;

/** The HTML part, with the same content as the plain-text part. */
export function letterHtml(letter: Letter): string {
  const align = letter.direction === "rtl" ? "right" : "left";
  const text = (content: string, size = 17) =>
    `<p class="text" style="margin:0 0 16px;${FONT}font-size:${size}px;line-height:1.55;color:#0b2830;">${content}</p>`;
  const muted = (content: string) =>
    `<p class="muted" style="margin:0 0 12px;${FONT}font-size:15px;line-height:1.5;color:#45606a;">${content}</p>`;
  return `<!doctype html>
<html lang="${letter.language}" dir="${letter.direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escape(letter.subject)}</title>
<style>${STYLE}
</style>
</head>
<body class="page" style="margin:0;padding:0;background-color:#f1f5f4;">
${preview(letter.paragraphs[0] ?? "")}
<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" border="0" style="background-color:#f1f5f4;">
<tr><td align="center" style="padding:24px 12px;">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:560px;">
<tr><td style="padding:20px 28px;background-color:#0b2830;border-radius:22px 22px 0 0;" align="${align}">
<table role="presentation" cellpadding="0" cellspacing="0" border="0"><tr>
<td width="36" height="36" align="center" valign="middle" aria-hidden="true" style="width:36px;height:36px;background-color:#ffc933;border-radius:10px;${FONT}font-size:22px;font-weight:800;line-height:36px;color:#0b2830;">F</td>
<td style="padding:0 12px;${FONT}font-size:22px;font-weight:700;color:#ffffff;">Farline</td>
</tr></table>
</td></tr>
<tr><td class="sheet" align="${align}" style="padding:32px 28px 20px;background-color:#ffffff;border-radius:0 0 22px 22px;">
<h1 class="text" style="margin:0 0 20px;${FONT}font-size:26px;line-height:1.2;font-weight:700;color:#0b2830;">${escape(letter.subject)}</h1>
${text(escape(letter.greeting))}
${letter.paragraphs.map((paragraph) => text(escape(paragraph))).join("\n")}
${factsHtml(letter.facts, align)}
<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:8px 0 24px;"><tr>
<td align="center" bgcolor="#ffc933" style="background-color:#ffc933;border-radius:16px;border-bottom:3px solid #d39600;">
<a href="${escape(letter.button.url)}" style="display:inline-block;padding:16px 28px;${FONT}font-size:18px;font-weight:700;line-height:1.3;color:#0b2830;text-decoration:none;">${escape(letter.button.label)}</a>
</td></tr></table>
${text(escape(letter.note) + (letter.noteUrl === undefined ? "" : `<br>${address(letter.noteUrl, "#0b2830")}`))}
${muted(`${escape(letter.linkHint)}<br>${address(letter.button.url, "#45606a")}`)}
</td></tr>
<tr><td align="${align}" style="padding:20px 28px;">${muted(escape(letter.footer))}${muted(escape(letter.help))}</td></tr>
</table>
</td></tr>
</table>
</body>
</html>
`;
}

/** What inboxes show after the subject: the first words of a mail, even unseen ones. Else they are the sign, and the subject again. */
function preview(content: string): string {
  return `<div style="display:none;max-height:0;overflow:hidden;mso-hide:all;">${escape(content)}</div>`;
}

/** A link that shows its address, broken anywhere on narrow screens. */
function address(url: string, colour: string): string {
  return `<a href="${escape(url)}" dir="ltr" style="color:${colour};word-break:break-all;">${escape(url)}</a>`;
}

function factsHtml(facts: readonly string[], align: string): string {
  if (facts.length === 0) return "";
  const lines = facts.map((fact) => escape(fact)).join("<br>");
  return `<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="margin:0 0 20px;"><tr>
<td class="facts text" align="${align}" style="padding:14px 18px;background-color:#e6eded;border-radius:14px;${FONT}font-size:16px;line-height:1.6;color:#0b2830;">${lines}</td>
</tr></table>`;
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
