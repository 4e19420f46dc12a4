import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { emptyTestDatabase } from "../test/test-database.ts";

const program = fileURLToPath(new URL("./main.ts", import.meta.url));
let database: Awaited<ReturnType<typeof emptyTestDatabase>>;

beforeAll(async () => {
  database = await emptyTestDatabase();
});
afterAll(() => database.drop());

/** What the process needs beside its settings; without the cache it takes twice as long to load. */
const SHELL = { PATH: process.env["PATH"], NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] };

function launch(change: Record<string, string> = {}): { child: ChildProcess; output: () => string } {
  const settings = {
    SANDBOX_PORT: "0",
    SANDBOX_DATABASE_URL: database.url,
    STRIPE_SECRET_KEY: "sk_test_process",
    STRIPE_WEBHOOK_SECRET: "whsec_process",
    APP_URL: "http://127.0.0.1:9",
    ...change,
  };
  const child = fork(program, { env: { ...SHELL, ...settings }, silent: true, execArgv: [] });
  let text = "";
  child.stdout?.on("data", (piece) => (text += piece));
  child.stderr?.on("data", (piece) => (text += piece));
  return { child, output: () => text };
}

describe("the sandbox process", () => {
  it.each(["SIGTERM", "disconnect"])("reports that it is ready, serves its home page, and exits on %s", async (how) => {
    const { child, output } = launch();
    const [message] = (await once(child, "message")) as [{ ready: boolean; httpPort: number; sipPort: number }];
    expect(message).toMatchObject({ ready: true });
    const home = await fetch(`http://127.0.0.1:${message.httpPort}/`);
    const text = await home.text();
    expect(home.headers.get("content-security-policy")).toContain("default-src 'none'");
    for (const shown of ["+44 20 7946 0486", "4242 4242 4242 4242", "No call yet.", 'href="http://127.0.0.1:9"'])
      expect(text).toContain(shown);
    expect((await fetch(`http://127.0.0.1:${message.httpPort}/health`)).status).toBe(200);
    const calls = await fetch(`http://127.0.0.1:${message.httpPort}/phone-network/calls?number=+442079460000&limit=5`);
    expect(await calls.json()).toEqual({ sipPort: message.sipPort, live: 0, calls: [] });
    expect((await fetch(`http://127.0.0.1:${message.httpPort}/phone-network/calls?limit=0`)).status).toBe(422);
    const exited = once(child, "exit");
    if (how === "SIGTERM") child.kill("SIGTERM");
    else child.disconnect();
    expect(await exited).toEqual(how === "SIGTERM" ? [0, null] : [null, "SIGKILL"]);
    expect(output()).toContain('"msg":"ready"');
  });

  it("exits if the supervisor is gone before it has started", async () => {
    const { child } = launch();
    const exited = once(child, "exit");
    child.disconnect();
    expect(await exited).toEqual([null, "SIGKILL"]);
  });

  it.each([
    ["STRIPE_SECRET_KEY", "sk_live_secret"],
    ["SANDBOX_SIP_PORT", "70000"],
    ["SANDBOX_DATABASE_URL", "mysql://x"],
  ])("does not start with an invalid %s, and names the setting but not its value", async (name, value) => {
    const { child, output } = launch({ [name]: value });
    const [code] = await once(child, "exit");
    expect(code).toBe(1);
    expect(output()).toContain(name);
    expect(output()).not.toContain(value);
  });

  it("does not start in production", async () => {
    const { child, output } = launch({ NODE_ENV: "production" });
    expect(await once(child, "exit")).toEqual([1, null]);
    expect(output()).toContain("does not start with NODE_ENV=production");
  });
});
