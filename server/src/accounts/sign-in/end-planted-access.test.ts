import { MINUTE_MS } from "@farline/domain/durations.ts";
import { Secret, TOTP } from "otpauth";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { accountWorld, OTHER_PASSWORD, PASSWORD, PUBLIC_URL, type AccountWorld } from "../../../test/worlds/account-world.ts";
import { SoftwareAuthenticator } from "../../../test/fakes/software-authenticator.ts";
import { tokenIn } from "../../../test/fakes/test-mailbox.ts";

const TABLES_OF_CUSTOMERS = `
  select distinct table_name from information_schema.columns join information_schema.tables using (table_schema, table_name)
  where table_schema = 'public' and table_type = 'BASE TABLE' and column_name = 'customer_id'
  union
  select conrelid::regclass::text from pg_constraint
  where contype = 'f' and confrelid in ('customer'::regclass, 'account'::regclass)`;

interface Ended {
  /** Inserts a row; `$1` is the customer's id. */
  readonly plant: string;
  /** Selects the rows that still grant access. */
  readonly alive?: string;
  /** Why a reset of an already verified account keeps it. */
  readonly keptOnceProved?: string;
}

const LATER = "now() + interval '9999 days'";
const CARD = `(id, customer_id, payment_method_id, brand, last4, exp_month, exp_year, authenticated, created_at)`;
const cardFor = (method: string) =>
  `insert into saved_card ${CARD} values (gen_random_uuid(), $1, '${method}' || $1::text, 'visa', '4242', 1, 2090, true, now())`;

/** Access that an intruder may have set up, in foreign-key order. */
const ENDED: Readonly<Record<string, Ended>> = {
  session: {
    plant: `insert into session (id, customer_id, token_hash, created_at, last_seen_at, expires_at, authenticated_at)
      values (gen_random_uuid(), $1, sha256(convert_to($1::text, 'UTF8')), now(), now(), ${LATER}, now())`,
  },
  known_browser: { plant: "insert into known_browser values ($1, sha256('browser'), now())" },
  sign_in_challenge: {
    plant: `insert into sign_in_challenge (challenge_hash, customer_id, created_at, expires_at)
      values (sha256(convert_to($1::text, 'UTF8')), $1, now(), ${LATER})`,
  },
  email_change: {
    plant: `insert into email_change (id, customer_id, new_email, needs_old, created_at, expires_at)
      values (gen_random_uuid(), $1, 'intruder@example.net', false, now(), ${LATER})`,
  },
  mail_link: {
    plant: `insert into mail_link (id, customer_id, use, email_key, email_change_id, created_at, expires_at)
      select gen_random_uuid(), $1, use, 'x', change, now(), ${LATER}
      from (select 'reset_password' as use, null::uuid as change union all
        select unnest(array['change_email_new', 'change_email_old']), id from email_change where customer_id = $1) links`,
    // The verification link stays: it reports that the address is verified.
    alive: "use <> 'verify_email'",
  },
  passkey: {
    plant: `insert into passkey (id, customer_id, credential_id, public_key, sign_count, transports, name, synced, created_at)
      values (gen_random_uuid(), $1, convert_to($1::text, 'UTF8'), '', 0, '{}', 'Planted', false, now())`,
  },
  passkey_challenge: { plant: `insert into passkey_challenge values (sha256(convert_to($1::text, 'UTF8')), $1, ${LATER})` },
  identity: { plant: "insert into identity values ('https://issuer.example', $1::text, $1, 'intruder@example.net', now())" },
  google_flow: {
    plant: `insert into google_flow (id, browser_hash, purpose, customer_id, state, nonce, verifier, created_at, expires_at)
      values (gen_random_uuid(), sha256('flow'), 'link', $1, 'state', 'nonce', 'verifier', now(), ${LATER})`,
  },
  authenticator: {
    plant: "insert into authenticator values ($1, '', 'test', now(), now(), 0)",
    keptOnceProved: "somebody who only reads the owner's mails must not get past it",
  },
  recovery_code: {
    plant: "insert into recovery_code values ($1, sha256('code'), now(), null)",
    keptOnceProved: "it belongs to the authenticator",
  },
  voice_credential: {
    plant: `insert into voice_credential values ($1::text, $1, $1::text, ${LATER}, now())`,
    alive: "removal_due_at is null",
  },
  echo_test: {
    plant: `insert into echo_test (id, customer_id, ticket_hash, expires_at, created_at)
      values (gen_random_uuid(), $1, sha256(convert_to($1::text, 'UTF8')), ${LATER}, now())`,
  },
  caller_number: {
    plant: `insert into caller_number (number, customer_id, chosen, proven_at)
      values ('+1303' || lpad((hashtext($1::text) & 8388607)::text, 7, '0'), $1, true, now())`,
    alive: "chosen",
  },
  caller_number_check: {
    plant: `insert into caller_number_check (id, customer_id, number, created_at, expires_at)
      values (gen_random_uuid(), $1, '+13035550100', now(), ${LATER})`,
  },
  download_ticket: {
    plant: `insert into download_ticket values (sha256(convert_to($1::text, 'UTF8')), $1, 'calls', '{}', ${LATER})`,
  },
  data_export: {
    plant: `insert into data_export (id, customer_id, next_try_at, requested_at) values (gen_random_uuid(), $1, now(), now())`,
  },
  saved_card: {
    plant: cardFor("pm"),
    alive: "removed_at is null",
    keptOnceProved: "the owner sees it, and none is charged for a day after a reset",
  },
  card_setup: {
    plant: `insert into card_setup (id, customer_id, created_at, expires_at) values (gen_random_uuid(), $1, now(), ${LATER})`,
    alive: "status in ('created', 'open')",
    keptOnceProved: "as a saved card",
  },
  family_member: {
    plant: `with accomplice as (insert into customer (id, name, email, email_key, created_at) select gen_random_uuid(), 'Accomplice', mail, mail, now()
        from (select gen_random_uuid() || '@example.net' as mail) new returning id),
      owner as (insert into family_member (customer_id, owner_id, joined_at) values ($1, $1, now()))
      insert into family_member (customer_id, owner_id, joined_at, owner_pays) select id, $1, now(), true from accomplice`,
  },
  family_invitation: {
    plant: `insert into family_invitation (customer_id, id, time_zone, created_at, expires_at)
      values ($1, gen_random_uuid(), 'UTC', now(), ${LATER})`,
  },
  auto_top_up: {
    plant: `with card as (${cardFor("auto")} returning id)
      insert into auto_top_up (customer_id, is_on, card_id, threshold_micros, amount_micros, agreed_at, updated_at)
      select $1, true, id, 10000, 10000, now(), now() from card`,
    alive: "is_on",
  },
};

/** Tables that are kept, each with the reason why an intruder gains nothing by them. */
const KEPT: Readonly<Record<string, string>> = {
  account: "the credit is the account's; what was paid in stays",
  account_erasure: "the owner is told by mail, and keeps the account after signing in",
  approval: "an operator's",
  call: "history; a running one is cut (cut-calls.test.ts)",
  call_block: "restricts the account",
  call_refund_request: "pays into this account",
  contact: "opens nothing, and each price is shown before the call",
  contact_number: "as contact",
  customer_term: "an operator's",
  ended_session: "says why a token no longer works, and opens nothing",
  first_call: "a bonus of this account",
  freeze_review: "an operator's",
  free_credit: "counts against the budget of free credit, and gives none",
  guard_rail: "can only restrict calls further, and the account page shows it",
  hold: "ends with its call",
  ledger_entry: "history",
  ledger_mark: "history",
  ledger_transaction: "history",
  operation: "an operator's",
  person_mark: "only keeps a second gift away",
  payment: "whoever pays, it is this account's credit",
  payment_failure: "history",
  promo_use: "a bonus of this account",
  receipt: "history",
  reminder: "as contact",
  credit_request: "lets others pay, and shows a first name",
  credit_gift: "what was paid",
  referral: "costs the owner nothing, and a reward has checks of its own",
  referral_code: "made by us, the same for good",
  refund: "goes back to the card that paid",
  security_event: "what the owner reads about all this",
  stripe_customer: "the account's name at the provider",
  support_case: "history; answers go to the owner's address",
  test_credit_grant: "sandbox only",
  withdrawal: "goes back to the card that paid",
};

let world: AccountWorld;
beforeAll(async () => {
  world = await accountWorld();
});
afterAll(() => world.close());

const query = (text: string, values: unknown[] = []) => world.database.handle.pool.query(text, values);
const latestMail = (email: string, subject: string) => world.mailbox.to(email).findLast((mail) => mail.subject === subject);

async function reset(email: string) {
  await world.request("POST", "/api/password/forgot", { email });
  await world.deliver();
  const token = tokenIn(latestMail(email, "Choose a new password"));
  const answer = await world.request("POST", "/api/password/reset", {
    token,
    password: OTHER_PASSWORD,
    password_confirmation: OTHER_PASSWORD,
  });
  expect(answer.statusCode).toBe(200);
  await world.deliver();
}

const verifyLink = (email: string) => tokenIn(latestMail(email, "Confirm your email address"));
const verify = (token: string, cookie?: string) =>
  world.request("POST", "/api/email/verify", { token }, cookie === undefined ? {} : { headers: { cookie } });

/** A customer with a verified address, in the browser that signed up. */
async function provedPerson() {
  const person = await world.signUp();
  expect((await verify(verifyLink(person.email), person.cookie)).json()).toMatchObject({ status: "verified" });
  return person;
}

async function alive(table: string, customerId: string): Promise<number> {
  const { rows } = await query(
    `select count(*)::int as n from ${table} where customer_id = $1 and (${ENDED[table]?.alive ?? "true"})`,
    [customerId],
  );
  return rows[0].n;
}

test("each table with customer rows is classified as ended by verification or kept for a reason", async () => {
  const { rows } = await query(TABLES_OF_CUSTOMERS);
  const classified = [...Object.keys(ENDED), ...Object.keys(KEPT)];
  expect(new Set(classified).size).toBe(classified.length);
  expect(classified.toSorted()).toEqual(rows.map((row) => String(row.table_name)).toSorted());
});

test("the first verification ends every row that could be planted and notifies the owner", async () => {
  const { id, email } = await world.signUp();
  for (const [table, { plant }] of Object.entries(ENDED)) {
    await query(plant.replaceAll("$1", `'${id}'::uuid`));
    expect([table, await alive(table, id)]).not.toEqual([table, 0]);
  }
  await reset(email);
  for (const table of Object.keys(ENDED)) expect([table, await alive(table, id)]).toEqual([table, 0]);
  expect(latestMail(email, "You have a new password")?.text).toContain(
    "We also removed anything somebody else could have set up: a change of email address, passkeys, a Google account, two-step verification, the number that your calls show, the automatic top-up, saved cards, and the people in your family.",
  );
  const events = await query("select kind, detail from security_event where customer_id = $1 order by happened_at, id", [id]);
  expect(events.rows.slice(-5)).toEqual([
    { kind: "password_reset", detail: null },
    { kind: "email_change_ended", detail: "intruder@example.net" },
    { kind: "passkey_removed", detail: "Planted" },
    { kind: "google_unlinked", detail: "intruder@example.net" },
    { kind: "two_factor_off", detail: null },
  ]);
});

test("a reset of a verified account ends all but the second factor and the cards, and says so", async () => {
  const { id, email } = await provedPerson();
  for (const { plant } of Object.values(ENDED)) await query(plant.replaceAll("$1", `'${id}'::uuid`));
  await reset(email);
  for (const [table, { keptOnceProved }] of Object.entries(ENDED))
    expect([table, (await alive(table, id)) > 0]).toEqual([table, keptOnceProved !== undefined]);
  const { text } = latestMail(email, "You have a new password") ?? {};
  expect(text).toContain(
    "a change of email address, passkeys, a Google account, the number that your calls show, the automatic top-up, and the people in your family.",
  );
  expect(text).toContain("Two-step verification is still on");
});

/** An intruder who registered the victim's address and set up every sign-in method. */
async function intruder() {
  const person = await world.signUp();
  const { token } = person;
  const change = { email: `thief.${person.id}@example.net`, current_password: PASSWORD };
  expect((await world.request("POST", "/api/email/change", change, { token })).statusCode).toBe(202);
  await world.deliver();
  const authenticator = new SoftwareAuthenticator(PUBLIC_URL);
  const { options } = (await world.request("POST", "/api/account/passkeys/options", undefined, { token })).json();
  const credential = authenticator.create(options);
  await world.request("POST", "/api/account/passkeys", { name: "Thief's", credential }, { token });
  const { secret } = (await world.request("POST", "/api/account/authenticator", undefined, { token })).json();
  const totp = new TOTP({ secret: Secret.fromBase32(secret.replaceAll(" ", "")) });
  const code = totp.generate({ timestamp: world.clock.now().getTime() });
  expect((await world.request("POST", "/api/account/authenticator/confirm", { code }, { token })).statusCode).toBe(200);
  return { ...person, authenticator, newEmail: change.email, totp };
}

type Intruder = Awaited<ReturnType<typeof intruder>>;

/** Tries all of the intruder's credentials; the owner signs in with the new password. */
async function expectShutOut(thief: Intruder): Promise<void> {
  const { cookie, token } = thief;
  expect((await world.request("GET", "/api/user", undefined, { token })).statusCode).toBe(401);
  expect((await world.signIn(thief.email, PASSWORD)).statusCode).toBe(422);
  const { options } = (await world.request("POST", "/api/login/passkey/options")).json();
  const credential = thief.authenticator.get(options);
  expect((await world.request("POST", "/api/login/passkey", { credential })).json().code).toBe("passkey_refused");
  const link = tokenIn(world.mailbox.to(thief.newEmail)[0]);
  const change = await world.request("POST", "/api/email/change/confirm", { token: link }, { headers: { cookie } });
  expect(change.json().code).toBe("link_expired");
  const owner = await world.signIn(thief.email, OTHER_PASSWORD);
  expect(owner.json()).toMatchObject({ user: { id: thief.id, email: thief.email, email_verified: true } });
}

describe("an address that an intruder registered first", () => {
  test("a password reset shuts the intruder out", async () => {
    const thief = await intruder();
    await reset(thief.email);
    await expectShutOut(thief);
  });

  test("the intruder's link, opened by the owner, verifies nothing until a password is chosen", async () => {
    const thief = await intruder();
    const link = verifyLink(thief.email);
    const opened = await verify(link, (await world.signUp()).cookie);
    expect(opened.json()).toMatchObject({ status: "choose_password", reset_token: expect.any(String) });
    const before = await world.request("GET", "/api/user", undefined, { token: thief.token });
    expect(before.json()).toMatchObject({ user: { email_verified: false } });
    const chosen = await world.request("POST", "/api/password/reset", {
      token: opened.json().reset_token,
      password: OTHER_PASSWORD,
      password_confirmation: OTHER_PASSWORD,
    });
    expect(chosen.statusCode).toBe(200);
    await expectShutOut(thief);
    expect((await verify(link)).json()).toMatchObject({ status: "verified" });
  });

  test("the link to a new address does not hand the intruder's account to its owner", async () => {
    const thief = await intruder();
    const link = tokenIn(world.mailbox.to(thief.newEmail)[0]);
    const opened = await world.request("POST", "/api/email/change/confirm", { token: link });
    expect(opened.json()).toMatchObject({ status: "sign_in", email: thief.email });
    const { email } = (await world.request("GET", "/api/user", undefined, { token: thief.token })).json().user;
    expect(email).toBe(thief.email);
  });

  test("an address change requested before verification is cancelled by it", async () => {
    const person = await world.signUp();
    const newEmail = `later.${person.id}@example.net`;
    await world.request("POST", "/api/email/change", { email: newEmail, current_password: PASSWORD }, { token: person.token });
    await world.deliver();
    await verify(verifyLink(person.email), person.cookie);
    const link = tokenIn(world.mailbox.to(newEmail)[0]);
    const headers = { cookie: person.cookie };
    const late = await world.request("POST", "/api/email/change/confirm", { token: link }, { headers });
    expect(late.json().code).toBe("link_expired");
  });
});

test("signing up and confirming in the same browser keeps the session and all settings", async () => {
  const person = await intruder();
  expect((await verify(verifyLink(person.email), person.cookie)).json()).toMatchObject({ status: "verified" });
  expect((await world.request("GET", "/api/user", undefined, { token: person.token })).json()).toMatchObject({
    user: { email_verified: true },
  });
  const { options } = (await world.request("POST", "/api/login/passkey/options")).json();
  const credential = person.authenticator.get(options);
  expect((await world.request("POST", "/api/login/passkey", { credential })).statusCode).toBe(200);
});

test("access to the owner's mailbox alone does not bypass the authenticator", async () => {
  const owner = await intruder();
  await verify(verifyLink(owner.email), owner.cookie);
  await reset(owner.email);
  world.clock.advance(MINUTE_MS);
  const first = (await world.signIn(owner.email, OTHER_PASSWORD)).json();
  expect(first).toMatchObject({ second_factor: { methods: ["authenticator", "recovery_code"] } });
  expect(first).not.toHaveProperty("token");
  const { challenge } = first.second_factor;
  expect((await world.request("POST", "/api/login/second-factor", { challenge, code: "000000" })).json().code).toBe("code_wrong");
  const code = owner.totp.generate({ timestamp: world.clock.now().getTime() });
  expect((await world.request("POST", "/api/login/second-factor", { challenge, code })).json()).toHaveProperty("token");
});
