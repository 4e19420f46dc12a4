import { connect } from "node:net";
import Fastify, { type FastifyInstance } from "fastify";
import { createTransport } from "nodemailer";
import { Pool } from "pg";
import pino from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { emptyTestDatabase } from "../../test/test-database.ts";
import type { MailServer } from "./mail-server.ts";
import { startMailbox } from "../sandbox.ts";

let database: Awaited<ReturnType<typeof emptyTestDatabase>>;
let pool: Pool;
let app: FastifyInstance;
let server: MailServer;

async function start(): Promise<void> {
  app = Fastify();
  const log = pino({ level: "silent" });
  server = await startMailbox(app, {
    pool,
    log,
    now: () => Date.UTC(2026, 2, 1),
    host: "127.0.0.1",
    port: 0,
    appUrl: "http://localhost:3000",
  });
}

beforeAll(async () => {
  database = await emptyTestDatabase();
  pool = new Pool({ connectionString: database.url });
  await start();
});
afterAll(async () => {
  await server.close();
  await app.close();
  await pool.end();
  await database.drop();
});

interface Message {
  id: number;
  from: string;
  to: string[];
  subject: string;
  text: string;
  html: string;
  links: string[];
  received_at: string;
}

const mail = (change: object = {}) =>
  createTransport({ host: "127.0.0.1", port: server.port }).sendMail({
    from: "Farline <no-reply@farline.localhost>",
    to: "ada@example.com",
    subject: "Confirm your email address",
    text: "Open this:\nhttp://localhost:3000/verify-email#t=abc\n",
    html: '<!doctype html><html><head><title>x</title></head><body><a href="http://localhost:3000/verify-email#t=abc">Open</a></body></html>',
    ...change,
  });
const messages = async (query = "") =>
  ((await app.inject(`/mailbox/messages${query}`)).json() as { messages: Message[] }).messages;

test("mail to any address is stored and found by the address, case-insensitively", async () => {
  await mail({ to: "Grace Hopper <Grace@Example.com>" });
  await mail({ to: "someone-else@example.com" });
  const found = await messages("?to=grace@example.COM");
  expect(found).toEqual([
    {
      id: expect.any(Number),
      from: "Farline <no-reply@farline.localhost>",
      to: ["Grace@example.com"],
      subject: "Confirm your email address",
      message_id: expect.stringMatching(/@farline\.localhost$/),
      text: expect.stringContaining("Open this:"),
      html: expect.stringContaining("<a href="),
      links: ["http://localhost:3000/verify-email#t=abc"],
      received_at: "2026-03-01T00:00:00.000Z",
    },
  ]);
  expect(await messages("?to=nobody@example.com")).toEqual([]);
});

test("mails are listed newest first, with subjects in any script", async () => {
  for (const subject of ["One", "Deux é", "दो", "ثلاثة"]) await mail({ to: "order@example.com", subject });
  expect((await messages("?to=order@example.com")).map((one) => one.subject)).toEqual(["ثلاثة", "दो", "Deux é", "One"]);
});

test("the pages list the mails and show one, with links in its text and its HTML in a sandboxed frame", async () => {
  await mail({ to: "page@example.com", subject: "<b>Bold</b> & co" });
  const [message] = await messages("?to=page@example.com");
  const list = await app.inject("/mailbox?to=page@example.com");
  expect(list.body).toContain("&lt;b&gt;Bold&lt;/b&gt; &amp; co");
  expect(list.body).toContain(`href="/mailbox/${message?.id}"`);
  const page = await app.inject(`/mailbox/${message?.id}`);
  expect(page.headers["content-security-policy"]).toContain("frame-src 'self'");
  expect(page.headers["content-security-policy"]).not.toContain("script");
  expect(page.body).toContain('<a href="http://localhost:3000/verify-email#t=abc">');
  expect(page.body).toContain(`src="/mailbox/${message?.id}/html"`);
  const part = await app.inject(`/mailbox/${message?.id}/html`);
  expect(part.headers["content-security-policy"]).toMatch(/^default-src 'none'; .*sandbox allow-popups/);
  expect(part.body).toContain('<head><base target="_blank">');
});

test("hostile HTML is shown only in the sandboxed frame, never in the page itself", async () => {
  await mail({
    to: "hostile@example.com",
    html: "<script>alert(1)</script>",
    text: '<img src=x onerror=alert(1)> https://a.example/?q="><script>',
  });
  const [message] = await messages("?to=hostile@example.com");
  const page = await app.inject(`/mailbox/${message?.id}`);
  expect(page.body).not.toContain("<script");
  expect(page.body).not.toContain("<img src=x");
  const part = await app.inject(`/mailbox/${message?.id}/html`);
  expect(part.headers["content-security-policy"]).toContain("default-src 'none'");
  expect(part.headers["content-security-policy"]).not.toContain("allow-scripts");
});

test("a mail with only a text part has a page too", async () => {
  await mail({ to: "plain@example.com", html: undefined });
  const [message] = await messages("?to=plain@example.com");
  expect((await app.inject(`/mailbox/${message?.id}`)).body).not.toContain("<iframe");
  expect((await app.inject(`/mailbox/${message?.id}/html`)).statusCode).toBe(404);
});

test.each(["/mailbox/999999", "/mailbox/nonsense", "/mailbox/-1", "/mailbox/99999999999999999999"])(
  "%s returns 404",
  async (path) => {
    const answer = await app.inject(path);
    expect(answer.statusCode).toBe(404);
    expect(answer.body).toContain("No such mail");
  },
);

test("a list with an invalid limit is rejected with a message", async () => {
  const answer = await app.inject("/mailbox/messages?limit=5000");
  expect([answer.statusCode, answer.json().message]).toEqual([422, "Use to (an address) and limit (1 to 500)."]);
});

test.each([
  ["refused@example.com", 550],
  ["later@example.com", 451],
])("a mail to %s is rejected with %i and not stored", async (to, responseCode) => {
  await expect(mail({ to })).rejects.toMatchObject({ responseCode });
  expect(await messages(`?to=${to}`)).toEqual([]);
});

test("a mail of more than a megabyte is rejected, and the next one is accepted", async () => {
  await expect(mail({ to: "large@example.com", text: "x".repeat(1_100_000) })).rejects.toMatchObject({ responseCode: 552 });
  await mail({ to: "large@example.com" });
  expect(await messages("?to=large@example.com")).toHaveLength(1);
});

test("a client that disconnects in the middle of a mail leaves nothing behind", async () => {
  const socket = connect(server.port, "127.0.0.1");
  const said = "EHLO x\r\nMAIL FROM:<a@example.com>\r\nRCPT TO:<halfway@example.com>\r\nDATA\r\nSubject: half";
  await new Promise<void>((settle) => socket.once("data", () => socket.write(said, () => settle())));
  socket.destroy();
  await mail({ to: "whole@example.com" });
  expect(await messages("?to=whole@example.com")).toHaveLength(1);
  expect(await messages("?to=halfway@example.com")).toEqual([]);
});

test("mail is deferred while the database is unavailable, so that none is lost", async () => {
  await pool.query("alter table sandbox_mailbox.message rename to gone");
  await expect(mail({ to: "kept@example.com" })).rejects.toMatchObject({ responseCode: 451 });
  await pool.query("alter table sandbox_mailbox.gone rename to message");
  await mail({ to: "kept@example.com" });
  expect(await messages("?to=kept@example.com")).toHaveLength(1);
});

test("mails survive a restart, and only the newest 500 are kept", async () => {
  await pool.query(`insert into sandbox_mailbox.message (sender, recipients, subject, message_id, text_part, html_part, received_at)
    select 'x', array['many@example.com'], n::text, '', '', '', now() from generate_series(1, 600) as n`);
  await server.close();
  await app.close();
  await start();
  await mail({ to: "many@example.com", subject: "last" });
  const kept = await messages("?limit=500");
  expect(kept).toHaveLength(500);
  expect([kept[0]?.subject, kept[1]?.subject, kept[499]?.subject]).toEqual(["last", "600", "102"]);
  expect(Number((await pool.query("select count(*) from sandbox_mailbox.message")).rows[0].count)).toBe(500);
});
