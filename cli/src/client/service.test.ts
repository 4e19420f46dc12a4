import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { syncBuiltinESMExports } from "node:module";
import os, { tmpdir } from "node:os";
import { join } from "node:path";
import { confirmCommandLine } from "@farline/server/operator/operator.ts";
import { operatorToken } from "@farline/server/test/operators.ts";
import { asOperator, testContext } from "@farline/server/test/test-context.ts";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { commandWorld, runCommand, runIn, type CommandWorld } from "../../test/run-command.ts";
import { addSignInCommands } from "./sign-in-commands.ts";

let world: CommandWorld;
beforeAll(async () => {
  world = await commandWorld({ publicUrl: "https://farline.example" });
});
afterAll(() => world.close());

let home: string;
let servers: Server[] = [];
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "farline-home-"));
});
afterEach(async () => {
  vi.restoreAllMocks();
  rmSync(home, { recursive: true });
  await Promise.all(servers.map((one) => one[Symbol.asyncDispose]()));
  servers = [];
});

const query = (text: string, values?: unknown[]) => world.database.handle.pool.query(text, values);
const farline = (url: string, ...words: string[]) => runIn({ home, url }, ...words);
const signInTo = (url: string, token: string) => {
  mkdirSync(join(home, ".farline"), { recursive: true });
  writeFileSync(join(home, ".farline", `${new URL(url).host.replace(":", "-")}.token`), token);
};

/** A server at this machine that is none of ours, at which the command line has a sign-in. */
async function strangerAt(listener: RequestListener, create: (listener: RequestListener) => Server = createServer) {
  const server = create(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http${create === createServer ? "" : "s"}://127.0.0.1:${(server.address() as AddressInfo).port}`;
  signInTo(url, "a token");
  return url;
}

/** Runs `sign-in` and confirms its code as an operator would in the console. */
async function signIn(name: string) {
  let confirmed: Promise<unknown> | undefined;
  const onOutput = (output: string) => {
    const code = /confirm the code (\S+)\./.exec(output)?.[1];
    const ctx = testContext({ handle: world.database.handle });
    if (code !== undefined) confirmed ??= confirmCommandLine(asOperator(ctx, name), code);
  };
  const { output } = await runCommand({ home, url: world.url, onOutput }, addSignInCommands, "sign-in");
  await confirmed;
  return output;
}

test("an operator signs in, acts within their role at this address alone, and signs out", async () => {
  const freeze = () => farline(world.url, "freeze", "nobody@example.com", "--because", "review", "--reason", "A test");
  const signedOut = `You are not signed in as an operator at ${world.url}. Run: npm run cli -- sign-in --at ${world.url}\n`;
  expect(await freeze()).toEqual({ code: 1, output: signedOut });
  expect(await signIn("eve")).toMatch(/^Open https:\/\/farline\.example\/operator\/command-line#[^]*Signed in as eve\./);
  const file = join(home, ".farline", `127.0.0.1-${new URL(world.url).port}.token`);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(await freeze()).toEqual({ code: 1, output: "There is no customer nobody@example.com.\n" });
  expect(await farline(world.url, "operator", "add", "joan@example.com", "--role", "support")).toEqual({
    code: 1,
    output: "The role support does not allow this.\n",
  });
  expect((await farline(world.url, "decks")).output).toBe("The role support does not allow this.\n");
  const elsewhere = world.url.replace("127.0.0.1", "localhost");
  expect((await farline(world.url, "queue", "--at", elsewhere)).output).toContain(
    `not signed in as an operator at ${elsewhere}.`,
  );
  const out = await runCommand({ home, url: world.url }, addSignInCommands, "sign-out");
  expect([out.output, await freeze()]).toEqual(["Signed out.\n", { code: 1, output: signedOut }]);
  const { rows } = await query("select 1 from operator_session");
  expect(rows).toEqual([]);
});

test("a user without a name, as in containers, signs in by their number", async () => {
  vi.spyOn(os, "userInfo").mockImplementation(() => {
    throw new Error("A system error occurred: uv_os_get_passwd returned ENOENT");
  });
  syncBuiltinESMExports();
  try {
    expect(await signIn("eve")).toContain("Signed in as eve.");
  } finally {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  }
});

test("an expired sign-in and an old proof of identity say how to sign in again; reading needs a sign-in too", async () => {
  const at = (minutes: number) => ({ kind: "command_line", at: new Date(Date.now() - minutes * 60_000) }) as const;
  signInTo(world.url, await operatorToken(query, "grace", at(16)));
  const again = `Run: npm run cli -- sign-in --at ${world.url}\n`;
  const ended = `You are not signed in as an operator, or your session has ended. ${again}`;
  expect(await farline(world.url, "queue")).toEqual({ code: 1, output: ended });
  signInTo(world.url, await operatorToken(query, "grace", at(6)));
  expect((await farline(world.url, "queue")).output).toBe("Nothing is waiting for an operator.\n");
  expect(await farline(world.url, "write-off", "nobody@example.com", "--reason", "A test")).toEqual({
    code: 1,
    output: `Confirm that it is you: this needs a sign-in within the last five minutes. ${again}`,
  });
});

test("the first administrator is added on the machine of the installation, without a sign-in", async () => {
  await query("delete from operator_session");
  const add = (...words: string[]) =>
    runIn({ home, url: world.url, databaseUrl: world.database.url }, "operator", "add", "first@example.com", ...words);
  expect(await add("--role", "support")).toEqual({
    code: 1,
    output: "You are not signed in, so only the first administrator can be added: --role admin.\n",
  });
  expect((await add("--role", "admin")).output).toMatch(
    /It works once\.\nhttp:\/\/127\.0\.0\.1:\d+\/operator\/invitation#fo_[\w-]{43}\n$/,
  );
  expect((await add("--role", "admin", "--at", world.url)).output).toContain("You are not signed in as an operator at");
});

test("what is no service of ours is said, and is asked only with its own sign-in", async () => {
  const asked: (string | undefined)[] = [];
  const page = await strangerAt((request, response) => {
    asked.push(request.headers.authorization);
    response.writeHead(404, { "content-type": "text/html" }).end("<h1>Not here</h1>");
  });
  const answer = `What answers at ${page} is not Farline. Is the address right?\n`;
  signInTo(world.url, "of another address");
  expect(await farline(page, "queue")).toEqual({ code: 1, output: answer });
  expect(new Set(asked)).toEqual(new Set(["Bearer a token"]));
  const other = await strangerAt((_request, response) => response.end('{"items":"many"}'));
  expect((await farline(other, "decks")).output).toContain("use the command line of the release that runs there.");
});

test("a redirect is not followed, because it would take the token along", async () => {
  const url = await strangerAt((_request, response) => response.writeHead(302, { location: "https://elsewhere.example/" }).end());
  expect(await farline(url, "decks")).toEqual({
    code: 1,
    output: `${url} redirects to https://elsewhere.example/. Name that with --at.\n`,
  });
});

test.each([
  ["http://farline.example", "only https is used to another machine"],
  ["http://127.0.0.1.farline.example", "only https is used to another machine"],
  ["farline.example", "is no address of a service"],
  ["ftp://farline.example", "is no address of a service"],
  ["https://grace:secret@farline.example", "is no address of a service"],
  ["https://farline.example/operator", "is no address of a service"],
])("%s is not used as an address", async (address, said) => {
  expect(await farline(world.url, "decks", "--at", address)).toEqual({ code: 1, output: expect.stringContaining(said) });
});

test("a wrong setting of this machine is said in a sentence, and in JSON", async () => {
  const said = "PUBLIC_URL must be like https://call.example.com, without a path.";
  expect(await farline("farline.example", "decks")).toEqual({ code: 1, output: `${said}\n` });
  const { output } = await farline("https://example.com/calls", "decks", "--json");
  expect(JSON.parse(output)).toMatchObject({ error: said, exit: 1 });
});

test("a certificate that nobody known has signed is refused in words", async () => {
  const [key, cert] = [join(home, "key.pem"), join(home, "cert.pem")];
  execFileSync(
    "openssl",
    [
      "req",
      "-x509",
      "-newkey",
      "ec",
      "-pkeyopt",
      "ec_paramgen_curve:prime256v1",
      "-nodes",
      "-keyout",
      key,
      "-out",
      cert,
      "-subj",
      "/CN=127.0.0.1",
    ],
    { stdio: "ignore" },
  );
  const secure = { key: readFileSync(key), cert: readFileSync(cert) };
  const asked = vi.fn<() => void>();
  const url = await strangerAt(asked, (listener) => createSecureServer(secure, listener));
  expect(await farline(url, "decks")).toEqual({
    code: 1,
    output: expect.stringMatching(
      /^The certificate of \S+ is not trusted \(DEPTH_ZERO_SELF_SIGNED_CERT\)\. .* NODE_EXTRA_CA_CERTS\.\n$/,
    ),
  });
  expect(asked).not.toHaveBeenCalled();
});

test("a service that is down, slow, or hangs up is said", async () => {
  const url = await strangerAt((request) => request.socket.destroy());
  expect((await farline(url, "decks")).output).toMatch(/^http:\S+ cannot be reached: .+\.\n$/);
  await servers.pop()?.[Symbol.asyncDispose]();
  expect(await farline(url, "decks", "--json")).toMatchObject({
    code: 1,
    output: expect.stringContaining("Is the service running?"),
  });
  const slow = await strangerAt(() => undefined);
  vi.spyOn(AbortSignal, "timeout").mockReturnValue(AbortSignal.abort(new DOMException("Too late", "TimeoutError")));
  expect((await farline(slow, "decks")).output).toBe(`${slow} has not answered within 290 seconds.\n`);
});

test("an answer without end is not read to its end", async () => {
  const block = Buffer.alloc(1024 * 1024, " ");
  const url = await strangerAt((_request, response) => {
    const more = () => {
      while (response.write(block));
      response.once("drain", more);
    };
    more();
  });
  expect((await farline(url, "decks")).output).toBe(`${url} answers with more than a command reads. Ask for less.\n`);
});

test("texts from a service cannot control the terminal, in JSON either", async () => {
  const message = "Gone\u001b[2J \u009b2J \u202eback";
  const url = await strangerAt((_request, response) => {
    response.writeHead(409).end(JSON.stringify({ message, code: "conflict", reason: "conflict" }));
  });
  const { output } = await farline(url, "decks");
  expect(output).toBe("Gone [2J  2J  back\n");
  const json = (await farline(url, "decks", "--json")).output;
  // oxlint-disable-next-line no-control-regex
  expect(json).not.toMatch(/[\u001b\u009b\u202e]/);
  expect(JSON.parse(json).error).toBe(message);
});
