import { MINUTE_MS, HOUR_MS } from "@farline/domain/durations.ts";
import { sql } from "kysely";
import { createServer, type AddressInfo } from "node:net";
import pino from "pino";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import type { OutgoingMail } from "./enqueue-mail.ts";
import { startTestMailbox, type TestMailbox } from "../../test/fakes/test-mailbox.ts";
import { ManualClock } from "../../test/manual-clock.ts";
import { JobRunner, type Job } from "../platform/jobs/jobs.ts";
import type { SecretKeys } from "../platform/settings/secret-keys.ts";
import { testDatabase, type TestDatabase } from "../../test/test-database.ts";
import { enqueueMail, mailJobs, mailMetrics, sayMailed, type Mailed } from "./mail.ts";
import { testContext } from "../../test/test-context.ts";
import type { ServiceContext } from "../context.ts";

const LINK_ID = "6f9619ff-8b86-4d01-b42d-00cf4fc964ff";
const secretKeys: SecretKeys = [{ id: "1", secret: Buffer.alloc(32, 7) }];

let database: TestDatabase;
let mailbox: TestMailbox;
let clock: ManualClock;
let lines: string[];
let ctx: ServiceContext;

beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  clock = new ManualClock(new Date("2026-03-01T12:00:00Z"));
  mailbox = await startTestMailbox();
  lines = [];
  ctx = testContext({ handle: database.handle, clock });
  await sql`truncate mail`.execute(database.handle.db);
});
afterEach(() => mailbox.close());

const signal = new AbortController().signal;

function sender(smtpUrl: string | null = mailbox.url): Job {
  const log = pino({ level: "trace" }, { write: (line: string) => lines.push(line) });
  const config = {
    publicUrl: "https://farline.example",
    secretKeys,
    mail: { smtpUrl, from: "Farline <no-reply@farline.example>" },
    supportEmail: "help@farline.example",
    promotions: { firstCallMicros: 250_000n, referralMicros: 0n, freeCreditPerDayMicros: 0n },
  };
  const job = mailJobs(testContext({ handle: database.handle, clock, log, config, uses: ctx.uses }))[0];
  if (job === undefined) throw new Error("no mail job");
  return job;
}

const send = (job = sender()) => job.run(signal);

let made = 0;
async function enqueue(change: object = {}): Promise<string> {
  return (await tryToEnqueue(change)).to;
}

async function tryToEnqueue(change: object): Promise<Mailed> {
  made += 1;
  const mail = {
    asker: { by: "owner" },
    template: "verify_email",
    data: { name: "Ada", linkId: LINK_ID },
    to: `person${made}@example.com`,
    language: "en",
    key: `test ${made}`,
    at: clock.now(),
    ...change,
  } as OutgoingMail;
  return ctx.transaction((tx) => enqueueMail(tx, mail));
}

async function outbox() {
  return (await sql<any>`select state, attempts, data, last_error from mail order by created_at, id`.execute(database.handle.db))
    .rows;
}

test("a mail is sent once, as text and HTML, and its content is deleted", async () => {
  const to = await enqueue();
  await send();
  await send();
  expect(mailbox.mails).toHaveLength(1);
  const [mail] = mailbox.to(to);
  expect(mail?.from).toMatchObject({ name: "Farline", address: "no-reply@farline.example" });
  expect(mail?.subject).toBe("Confirm your email address");
  for (const part of [mail?.text, mail?.html]) {
    expect(part).toContain("Hello Ada,");
    expect(part).toMatch(/https:\/\/farline\.example\/verify-email#t=[\w-]{64}/);
  }
  const header = (key: string) => mail?.headers.find((one) => one.key === key)?.value;
  expect(header("auto-submitted")).toBe("auto-generated");
  expect(header("message-id")).toMatch(/^<[0-9a-f-]{36}@farline\.example>$/);
  expect(await outbox()).toEqual([{ state: "sent", attempts: 1, data: null, last_error: null }]);
});

test("a second mail with the same key is dropped", async () => {
  await enqueue({ key: "same" });
  await enqueue({ key: "same" });
  await send();
  expect(mailbox.mails).toHaveLength(1);
});

test("a mail is not sent if its transaction is rolled back", async () => {
  const undone = database.handle.db.transaction().execute(async (tx) => {
    await enqueueMail(tx, {
      asker: { by: "stranger" },
      template: "newsletter_confirm",
      data: { linkId: LINK_ID },
      to: "nobody@example.com",
      language: "en",
      key: "undone",
      at: clock.now(),
    });
    throw new Error("something else failed");
  });
  await expect(undone).rejects.toThrow("something else failed");
  await send();
  expect(mailbox.mails).toHaveLength(0);
});

test("the database has no link tokens while a mail is queued", async () => {
  await enqueue();
  const before = JSON.stringify((await sql<any>`select * from mail`.execute(database.handle.db)).rows);
  await send();
  const token = /#t=([\w-]{64})/.exec(mailbox.mails[0]?.text ?? "")?.[1] ?? "missing";
  expect(token).toHaveLength(64);
  expect(before).not.toContain(token);
});

test("mails are retried with growing delays while the mail server is down, and sent when it is back", async () => {
  const gone = await startTestMailbox();
  const port = Number(new URL(gone.url).port);
  await gone.close();
  const job = sender(`smtp://127.0.0.1:${port}`);
  await enqueue();
  await send(job);
  expect(await outbox()).toMatchObject([{ state: "waiting", attempts: 1 }]);
  await send(job); // not due yet
  expect(await outbox()).toMatchObject([{ attempts: 1 }]);
  clock.advance(10_000);
  await send(job);
  clock.advance(10_000);
  await send(job); // the second wait is longer
  expect(await outbox()).toMatchObject([{ state: "waiting", attempts: 2 }]);
  const back = await startTestMailbox(port);
  clock.advance(20_000);
  await send(job);
  expect(back.mails).toHaveLength(1);
  expect(await outbox()).toMatchObject([{ state: "sent", attempts: 3 }]);
  await back.close();
});

test("mails that wait are reported to the operators after a quarter of an hour", async () => {
  const [metric] = mailMetrics(testContext({ handle: database.handle, clock }));
  const waits = async () => {
    const seconds = (await metric?.read()) as number;
    return [seconds, metric?.warning?.(seconds)];
  };
  expect(await waits()).toEqual([0, null]);
  await enqueue();
  clock.advance(15 * MINUTE_MS - 1_000);
  await enqueue();
  expect(await waits()).toEqual([899, null]);
  clock.advance(1_000);
  expect(await waits()).toEqual([900, "Mails have waited for 15 minutes. Check SMTP_URL and the log."]);
  await send();
  expect(await waits()).toEqual([0, null]);
});

test("while the mail server is down, a run stops after the first failed mail", async () => {
  for (let i = 0; i < 30; i++) await enqueue();
  await send(sender("smtp://127.0.0.1:1"));
  const tried = (await outbox()).filter((mail) => mail.attempts > 0).length;
  expect(tried).toBeGreaterThan(0);
  expect(tried).toBeLessThanOrEqual(4);
});

test("a mail server that accepts connections and stays silent does not block the job for long", async () => {
  const silent = createServer();
  await new Promise<void>((settle) => silent.listen(0, "127.0.0.1", settle));
  await enqueue();
  await send(sender(`smtp://127.0.0.1:${(silent.address() as AddressInfo).port}`));
  expect(await outbox()).toMatchObject([{ state: "waiting", attempts: 1 }]);
  await new Promise((settle) => silent.close(settle));
});

test("a mail that cannot be sent within a day is dropped after a bounded number of attempts", async () => {
  await enqueue();
  mailbox.refuse({ at: "text", code: 451 });
  for (let minutes = 0; minutes <= 24 * 60; minutes += 5) {
    await send();
    clock.advance(5 * MINUTE_MS);
  }
  await send();
  const [mail] = await outbox();
  expect(mail).toMatchObject({ state: "given_up", data: null });
  expect(mail.attempts).toBeGreaterThan(8);
  expect(mail.attempts).toBeLessThan(15);
  mailbox.refuse(null);
  await send();
  expect(mailbox.mails).toHaveLength(0);
});

test("a mail is not sent after its link has expired", async () => {
  await enqueue({ usefulUntil: new Date(clock.now().getTime() + 30 * MINUTE_MS) });
  clock.advance(30 * MINUTE_MS);
  await send();
  expect(mailbox.mails).toHaveLength(0);
  expect(await outbox()).toMatchObject([{ state: "given_up", attempts: 0, data: null }]);
});

test.each([
  ["recipient", "No such user"],
  ["recipient", "5.1.1 No such user"],
  ["recipient", "5.2.1 The account is disabled"],
  ["text", "5.1.1 No such user"],
] as const)("a mail whose mailbox is refused for good at the %s (%s) is not tried again", async (at, text) => {
  await enqueue();
  mailbox.refuse({ at, code: 550, text });
  await send();
  expect(await outbox()).toMatchObject([{ state: "refused", attempts: 1, data: null }]);
});

test.each([
  ["recipient", 450, "Try again later"],
  ["recipient", 554, "5.7.1 Relay access denied"],
  ["recipient", 553, "5.1.8 The sender's domain does not exist"],
  ["text", 554, "Message rejected: Email address is not verified."],
  ["text", 550, "5.4.5 Daily user sending limit exceeded"],
] as const)("a mail refused at the %s for now or because of us (%i %s) is sent later", async (at, code, text) => {
  await enqueue();
  mailbox.refuse({ at, code, text });
  await send();
  expect(ctx.uses.summary("mails").failure).toMatch(String(code));
  mailbox.refuse(null);
  clock.advance(HOUR_MS);
  await send();
  expect(mailbox.mails).toHaveLength(1);
});

test("two services on one database send each mail once", async () => {
  for (let i = 0; i < 20; i++) await enqueue();
  const job = sender();
  const runners = [1, 2, 3].map(() => new JobRunner(database.url, pino({ level: "silent" })));
  await Promise.all(runners.map((runner) => runner.runOnce(job)));
  await Promise.all(runners.map((runner) => runner.stop(0)));
  // Even without the job lock, no mail is claimed twice.
  for (let i = 0; i < 20; i++) await enqueue();
  await Promise.all([send(), send(), send()]);
  while ((await outbox()).some((mail) => mail.state === "waiting")) await send();
  expect(mailbox.mails).toHaveLength(40);
});

test("a mail claimed by a process that died is sent again with the same Message-ID", async () => {
  const to = await enqueue();
  await send();
  // As if the process had died after the mail server accepted the mail and before it was recorded.
  await sql`update mail set state = 'waiting', done_at = null, data = '{"name":"Ada","linkId":"${sql.raw(LINK_ID)}"}'`.execute(
    database.handle.db,
  );
  await send();
  expect(mailbox.mails).toHaveLength(1);
  clock.advance(10_000);
  await send();
  const [first, second] = mailbox.to(to);
  expect(second?.messageId).toBe(first?.messageId);
});

test("without a mail server, mails stay queued", async () => {
  await enqueue();
  await sender(null).run(signal);
  expect(lines.join()).toContain("SMTP_URL is not set");
  expect(await outbox()).toMatchObject([{ state: "waiting", attempts: 0 }]);
});

test("old sent mails are deleted from the outbox, queued ones are not", async () => {
  await enqueue();
  await send();
  await enqueue();
  clock.advance(31 * 24 * HOUR_MS);
  await sender(null).run(signal);
  expect(await outbox()).toMatchObject([{ state: "waiting" }]);
});

test("addresses and tokens do not reach the log", async () => {
  const to = await enqueue();
  mailbox.refuse({ at: "recipient", code: 451 });
  await send();
  mailbox.refuse(null);
  clock.advance(HOUR_MS);
  await send();
  const token = /#t=([\w-]{64})/.exec(mailbox.mails[0]?.text ?? "")?.[1] ?? "missing";
  expect(lines.length).toBeGreaterThan(1);
  expect(lines.join()).not.toContain(to);
  expect(lines.join()).not.toContain(token);
});

const toAda = (change: object) => tryToEnqueue({ to: "ada@example.com", ...change });
const RESET = { template: "reset_password", data: { name: "Ada", linkId: LINK_ID } };
const NEWSLETTER = { template: "newsletter_confirm", data: { linkId: LINK_ID } };
const CHANGE = { template: "change_email_new", data: { name: "Eve", newEmail: "ada@example.com", linkId: LINK_ID } };
const INVITATION = { template: "family_invitation", data: { owner: "Eve", linkId: LINK_ID } };
const STRANGER = { by: "stranger", customerId: LINK_ID };
const byStranger = (n: number) => ({
  by: "stranger",
  customerId: `6f9619ff-8b86-4d01-b42d-00cf4fc9${String(n).padStart(4, "0")}`,
});

/** All that strangers can ask for, as often as they like. */
async function strangersFill(): Promise<number> {
  const mailed: Mailed[] = [];
  for (let i = 0; i < 12; i += 1)
    for (const change of [
      { ...RESET, asker: STRANGER },
      { ...NEWSLETTER, asker: STRANGER },
      { ...CHANGE, asker: byStranger(i) },
      { ...INVITATION, asker: byStranger(i) },
      { asker: { by: "holder", customerId: byStranger(i).customerId } },
    ])
      mailed.push(await toAda({ ...change, to: i % 2 === 0 ? "ada@example.com" : "Ada@Example.com" }));
  return mailed.filter(({ going }) => going).length;
}

test("strangers cause at most 14 mails a day to a mailbox, of all kinds together, and are told when none goes", async () => {
  expect(await strangersFill()).toBe(14);
  expect(await strangersFill()).toBe(0);
  expect((await outbox()).length).toBe(14);
  clock.advance(24 * HOUR_MS + 1);
  expect(await strangersFill()).toBe(14);
});

test("of concurrent mails to one mailbox no more go than of those in a row", async () => {
  const all = await Promise.all(Array.from({ length: 30 }, () => toAda({ ...INVITATION, asker: STRANGER })));
  expect(all.filter(({ going }) => going)).toHaveLength(3);
});

test.each([
  ["a reset in the owner's browser", { ...RESET, asker: { by: "owner" } }],
  ["the newsletter in the owner's browser", { ...NEWSLETTER, asker: { by: "owner" } }],
  [
    "a question's confirmation",
    { template: "case_received", data: { name: "Ada", number: "1", topic: "other" }, asker: { by: "owner" } },
  ],
  ["a link that an operator sends", { asker: { by: "operator" } }],
])("%s goes after strangers have filled the mailbox", async (_what, change) => {
  await strangersFill();
  expect((await toAda(change)).going).toBe(true);
});

test("one account cannot use up the confirmation mails of another with the same address", async () => {
  const by = (n: number) => ({ asker: { by: "holder", customerId: byStranger(n).customerId } });
  for (let i = 0; i < 9; i += 1) await toAda(by(1));
  expect((await toAda(by(2))).going).toBe(true);
});

test("an owner's own mails are bounded, too", async () => {
  const resets = [];
  for (let i = 0; i < 9; i += 1) resets.push((await toAda({ ...RESET, asker: { by: "owner" } })).going);
  expect(resets.filter(Boolean)).toHaveLength(6);
});

test("an answer says that a mail was sent only if it goes, and mentions refused and late mails", async () => {
  const claim = { reason: "email_sent", params: { email: "ada@example.com" } } as const;
  const said = async (mailed: Mailed) => (await sayMailed(ctx, [mailed], claim)).reason;
  const mailed = await toAda({ asker: { by: "owner" } });
  expect(await said(mailed)).toBe("email_sent");
  clock.advance(3 * MINUTE_MS);
  expect(await said(mailed)).toBe("mail_late");
  await send();
  expect(await said(mailed)).toBe("email_sent");
  mailbox.refuse({ at: "recipient", code: 550 });
  await toAda({ asker: { by: "owner" } });
  await send();
  expect(await said(mailed)).toBe("mail_refused_before");
  await strangersFill();
  await expect(said(await toAda({ ...RESET, asker: STRANGER }))).rejects.toMatchObject({ code: "rate_limited" });
});

test("reminders are limited by themselves, so that no number of them blocks a security notice", async () => {
  const to = "ada@example.com";
  const reminder = { name: "Ada", contact: "Mama", time: "18:00", countryCode: "GH", timeZone: "Africa/Accra", linkId: LINK_ID };
  for (let made = 0; made < 50; made += 1) await enqueue({ template: "reminder", data: reminder, to });
  const notice = { name: "Ada", event: "limits_loosened", at: clock.now().toISOString(), device: null } as const;
  await enqueue({ template: "security_notice", data: notice, to });
  const { rows } = await sql<any>`select template, count(*)::int as mails from mail group by template order by template`.execute(
    database.handle.db,
  );
  expect(rows).toEqual([
    { template: "reminder", mails: 20 },
    { template: "security_notice", mails: 1 },
  ]);
});
