import { languages, type Language } from "@farline/domain/languages.ts";
import { createServer, type AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { everyMail, linkId, mailHome } from "../../test/every-mail.ts";
import { startTestMailbox, type TestMailbox } from "../../test/fakes/test-mailbox.ts";
import { smtpTransport, type RenderedMail } from "./mail-transport.ts";
import { renderMail } from "./render-mail.ts";

const FROM = "Farline <no-reply@farline.example>";
const DATE = new Date("2026-03-01T12:00:00Z");
/** RFC 5322 §2.1.1, without the line break. */
const MAX_LINE = 998;
const WANTED_LINE = 78;

let mailbox: TestMailbox;
let count = 0;
beforeAll(async () => {
  mailbox = await startTestMailbox();
});
afterAll(() => mailbox.close());

async function sent(mail: RenderedMail, { from = FROM, language = "en" }: { from?: string; language?: Language } = {}) {
  const to = `ada+${(count += 1)}@example.com`;
  await smtpTransport(mailbox.url, { from, replyTo: mailHome.supportEmail }).send({
    ...mail,
    id: linkId,
    to,
    language,
    date: DATE,
  });
  const [arrived, another] = mailbox.to(to);
  if (arrived === undefined || another !== undefined) throw new Error("Not one mail arrived.");
  const [head = ""] = arrived.raw.split("\r\n\r\n");
  const header = (name: string) => arrived.headers.filter(({ key }) => key === name).map(({ value }) => value);
  return { ...arrived, head, header };
}

test.each(languages)(
  "every mail in %s arrives as it was written, marked as automatic, answered to support, with no line too long",
  async (language) => {
    const arrive = async (content: (typeof everyMail)[number]) => {
      const mail = renderMail(content, language, mailHome);
      const { header, head, raw, subject, text, html } = await sent(mail, { language });
      expect(subject).toBe(mail.subject);
      expect(text?.replaceAll("\r\n", "\n").trimEnd()).toBe(mail.text.trimEnd());
      expect(html?.replaceAll("\r\n", "\n").trimEnd()).toBe(mail.html.trimEnd());
      expect(raw).toMatch(/^Content-Type: multipart\/alternative;/m);
      expect(raw.indexOf("text/plain")).toBeLessThan(raw.indexOf("text/html"));
      for (const [name, value] of [
        ["auto-submitted", "auto-generated"],
        ["x-auto-response-suppress", "All"],
        ["date", "Sun, 01 Mar 2026 12:00:00 +0000"],
        ["message-id", `<${linkId}@farline.example>`],
        ["mime-version", "1.0"],
        ["content-language", language],
        ["reply-to", mailHome.supportEmail],
      ] as const)
        expect(header(name)).toEqual([value]);
      const leaves = content.template === "reminder" || content.template === "newsletter_welcome";
      expect([header("list-unsubscribe").length, header("list-unsubscribe-post").length]).toEqual(leaves ? [1, 1] : [0, 0]);
      for (const line of raw.split("\r\n")) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(MAX_LINE);
      for (const line of head.split("\r\n")) if (!line.includes("https:")) expect(line.length).toBeLessThanOrEqual(WANTED_LINE);
      expect(head).toMatch(/^[\x20-\x7e\r\n]*$/);
    };
    await Promise.all(everyMail.map(arrive));
  },
);

test.each([
  "Farline, Ltd.",
  "Dr. Call (UK)",
  "Ring: a; b",
  "Farline 📞",
  "फ़ारलाइन",
  "L'Appel @ Nice",
  "Ελλάδα [Athens]",
  "a".repeat(200),
])("the sender's name %s is one name of one address", async (name) => {
  const { from, head, header } = await sent(
    { subject: "Hello", text: "x", html: "x" },
    { from: `${name} <no-reply@farline.example>` },
  );
  expect(from).toMatchObject({ name, address: "no-reply@farline.example" });
  expect(header("message-id")).toEqual([`<${linkId}@farline.example>`]);
  expect(head).toMatch(/^[\x20-\x7e\r\n]*$/);
});

test.each([
  "Call Mum\r\nBcc: eve@example.com",
  "Call Mum\nX-Evil: 1",
  "Call \u2028Mum",
  "Call \u0000Mum",
  `Call ${"ب".repeat(300)}`,
  "📞".repeat(120),
])("the subject %j stays one header", async (subject) => {
  const { header, head } = await sent({ subject, text: "x", html: "x" });
  expect(header("subject")).toHaveLength(1);
  expect([header("bcc"), header("x-evil")]).toEqual([[], []]);
  for (const line of head.split("\r\n")) expect(line.length).toBeLessThanOrEqual(WANTED_LINE);
});

test("a mail server may take longer than ten seconds to accept a text", { timeout: 30_000 }, async () => {
  const server = createServer((socket) => {
    let isText = false;
    socket.write("220 slow\r\n");
    socket.on("data", (data) => {
      const isEnd = isText && data.toString().endsWith("\r\n.\r\n");
      if (isEnd) setTimeout(() => socket.write("250 Accepted\r\n"), 11_000);
      else if (!isText) socket.write(data.toString().startsWith("DATA") ? "354 Go on\r\n" : "250 Yes\r\n");
      isText = !isEnd && (isText || data.toString().startsWith("DATA"));
    });
  });
  await new Promise<void>((settle) => server.listen(0, "127.0.0.1", settle));
  const url = `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const text = { subject: "Hello", text: "x", html: "x" };
  const sending = smtpTransport(url, { from: FROM, replyTo: mailHome.supportEmail }).send({
    ...text,
    id: linkId,
    to: "ada@example.com",
    language: "en",
    date: DATE,
  });
  await expect(sending).resolves.toBeUndefined();
  server.close();
});
