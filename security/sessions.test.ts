import { PATIENCE_MS } from "@farline/domain/test/patience.ts";
import { becomes } from "@farline/drills/support/readiness.ts";
import { randomBytes, randomUUID } from "node:crypto";
import { get } from "node:http";
import { SdkClient } from "@farline/voice/test/sdk-client.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Attacker, PASSWORD, type Line } from "./src/attacker.ts";
import { Attempts } from "./src/attempts.ts";
import { startInstallation, type Installation } from "./src/product.ts";
import { rawHttp } from "./src/raw-http.ts";

const KEPT = "keep what an ended session had";
const OTHERS = "use a socket or a call for another session";
const NEW_PASSWORD = "another long phrase 43";

const attempts = new Attempts();
let at: Installation;
beforeAll(async () => {
  at = await startInstallation({ SANDBOX_RING_MS: "0" });
});
afterAll(() => at?.close());

/** Ends the thief's session. */
type Ending = (owner: Attacker, thief: Attacker) => Promise<{ status: number } | undefined>;

async function sessionOf(owner: Attacker): Promise<string> {
  const { sessions } = JSON.parse((await owner.api("GET", "/api/sessions")).text) as {
    sessions: { id: string; current: boolean }[];
  };
  const other = sessions.find(({ current }) => !current);
  if (other === undefined) throw new Error("There is no other session.");
  return other.id;
}

const insert = (text: string, values: unknown[]) => at.database.handle.pool.query(text, values);

const endings: Readonly<Record<string, Ending>> = {
  "signed out by the owner": async (owner) => owner.api("DELETE", `/api/sessions/${await sessionOf(owner)}`),
  "all others signed out": (owner) => owner.api("DELETE", "/api/sessions?keep_current=true"),
  "new password": (owner) =>
    owner.api("POST", "/api/password", {
      current_password: PASSWORD,
      password: NEW_PASSWORD,
      password_confirmation: NEW_PASSWORD,
    }),
  "passkey removed": async (owner) => {
    const id = randomUUID();
    await insert(
      `insert into passkey (id, customer_id, credential_id, public_key, sign_count, transports, name, synced, created_at)
       values ($1, $2, $3, $3, 0, '{}', 'Key', false, now())`,
      [id, owner.id, randomBytes(32)],
    );
    return owner.api("DELETE", `/api/account/passkeys/${id}`);
  },
  "Google unlinked": async (owner) => {
    await insert(
      "insert into identity (issuer, subject, customer_id, email, linked_at) values ($1, $2, $3, 'g@example.com', now())",
      [`${new URL(at.url).protocol}//${new URL(at.url).hostname}:${at.addresses.sandboxPort}/google`, randomUUID(), owner.id],
    );
    return owner.api("DELETE", "/api/account/google");
  },
  "authenticator removed": async (owner) => {
    await insert(
      "insert into authenticator (customer_id, secret, secret_key, created_at, confirmed_at) values ($1, $2, 'k', now(), now())",
      [owner.id, randomBytes(48)],
    );
    return owner.api("DELETE", "/api/account/authenticator");
  },
  "signed out by the thief, to escape the owner": async (owner, thief) => {
    await thief.api("POST", "/api/logout");
    return owner.api("DELETE", "/api/sessions?keep_current=true");
  },
  "ended by too many devices": async (owner) => {
    for (let count = 0; count < 9; count += 1) await owner.otherSession();
    return undefined;
  },
};

/** Calls and is answered. */
async function talk(caller: Attacker, line: Line): Promise<{ callID: string; id: string }> {
  const { started, callID, outcome } = await caller.call("+442079460000", line);
  expect(outcome).toBe("answered");
  return { callID, id: started.call.id };
}

/** Whether the stream of events of a session has ended. */
function eventsOf(session: Attacker): { ended: () => boolean } {
  let ended = false;
  const request = get(`http://127.0.0.1:${at.addresses.port}/api/events`, { headers: session.bearer }, (response) =>
    response.resume().once("close", () => (ended = true)),
  );
  request.on("error", () => (ended = true));
  return { ended: () => ended };
}

test.each(Object.entries(endings))("a session that ended (%s) keeps nothing", async (name, end) => {
  const owner = await Attacker.signUp(at, { dollars: 50 });
  const thief = await owner.otherSession();
  // The least recently used session is the thief's.
  await insert("update session set last_seen_at = last_seen_at - interval '30 seconds' where id = $1", [await sessionOf(owner)]);
  const [own, stolen] = [await owner.line(), await thief.line()];
  const events = eventsOf(thief);
  const token = await thief.voiceToken();
  const ticketed = await thief.authorise("+442079460111");
  const download = JSON.parse((await thief.api("POST", "/api/contacts/export-ticket", { format: "csv" })).text) as {
    ticket: string;
  };
  const [mine, theirs] = [await talk(owner, own), await talk(thief, stolen)];
  const done = await end(owner, thief);
  expect(done?.status ?? 204).toBeLessThan(300);

  const check = (what: string, refused: boolean) => attempts.check(KEPT, `${name}: ${what}`, refused);
  check("the call", await stolen.endedWithin(theirs.callID, PATIENCE_MS));
  check("the socket", await becomes(() => !stolen.isOpen, PATIENCE_MS));
  check("the stream of events", await becomes(events.ended, PATIENCE_MS));
  check(
    "the voice token",
    await SdkClient.open(`ws://127.0.0.1:${at.addresses.voicePort}/`, new URL(at.url).origin)
      .then((client) => client.login(token).finally(() => client.drop()))
      .then(
        () => false,
        () => true,
      ),
  );
  check("a call more", (await thief.api("POST", "/api/calls/initiate", { destination_number: "+442079460222" })).status === 401);
  check(
    "moving the owner's call away",
    (await thief.api("POST", `/api/calls/${mine.id}/move`, { voice_session: randomUUID() })).status === 401,
  );
  check("a download", (await rawHttp(at.addresses.port, `/api/contacts/export?ticket=${download.ticket}`)).status !== 200);
  const state = async (id: string) =>
    (
      await at.database.handle.pool.query<{ status: string; end_reason: string | null; held: boolean }>(
        "select c.status, c.end_reason, h.state = 'pending' as held from call c join hold h on h.id = c.id where c.id = $1",
        [id],
      )
    ).rows[0];
  check("credit held", await becomes(async () => (await state(theirs.id))?.held === false, PATIENCE_MS));
  check("a ticket", await becomes(async () => (await state(ticketed.call.id))?.held === false, PATIENCE_MS));
  expect(await state(theirs.id)).toMatchObject({ status: "completed", end_reason: "signed_out" });
  // The owner's own call goes on, and is charged as usual.
  expect(await state(mine.id)).toMatchObject({ status: "in-progress", held: true });
  await own.bye(mine.callID);
  await Promise.all([owner.leave(), thief.leave()]);
});

test("a call is not cut because its session has expired", async () => {
  const owner = await Attacker.signUp(at, { dollars: 50 });
  const line = await owner.line();
  const { callID } = await talk(owner, line);
  await insert("update session set expires_at = now() where customer_id = $1", [owner.id]);
  expect((await owner.api("GET", "/api/user")).status).toBe(401);
  expect(await line.endedWithin(callID, 3_000)).toBe(false);
  await line.bye(callID);
  await owner.leave();
});

test("sockets and calls stay with their session", async () => {
  const [eve, accomplice] = await Promise.all([1, 2].map(() => Attacker.signUp(at, { dollars: 50 })));
  if (eve === undefined || accomplice === undefined) throw new Error("No customer signed up.");
  const phone = await eve.otherSession();
  const [line, phoneLine] = [await eve.line(), await phone.line()];
  const login = async (client: SdkClient, token: string, sessid: string | null = null) =>
    client.login(token, sessid).then(
      () => true,
      () => false,
    );
  attempts.check(
    OTHERS,
    "an accomplice's token on a signed-in socket",
    !(await login(line.client, await accomplice.voiceToken())),
  );
  attempts.check(OTHERS, "another session's token on a signed-in socket", !(await login(line.client, await phone.voiceToken())));
  const { callID, id } = await talk(eve, line);
  const reclaim = await accomplice.line({ sessid: line.client.sessid ?? "", voiceSdkId: line.client.voiceSdkId ?? "" });
  attempts.check(OTHERS, "another customer's tab by its ids", reclaim.client.sessid !== line.client.sessid);
  const away = await eve.api("POST", `/api/calls/${id}/move`, { voice_session: phoneLine.client.sessid });
  attempts.check(OTHERS, "moving a call to a page of another session", away.status === 409);
  const stolen = await accomplice.api("POST", `/api/calls/${id}/move`, { voice_session: reclaim.client.sessid });
  attempts.check(OTHERS, "moving another customer's call", stolen.status === 404);
  const moved = await phone.api("POST", `/api/calls/${id}/move`, { voice_session: phoneLine.client.sessid });
  expect(moved.status).toBe(200);
  await eve.api("DELETE", "/api/sessions?keep_current=true");
  attempts.check(OTHERS, "keeping a call by moving it", await phoneLine.endedWithin(callID, PATIENCE_MS));
  await Promise.all([eve.leave(), phone.leave(), accomplice.leave()]);
});

test("no attempt succeeded", () => {
  expect(attempts.succeeded).toEqual([]);
});
