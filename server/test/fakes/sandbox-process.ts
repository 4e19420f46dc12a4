import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { PATIENCE_MS } from "@farline/domain/test/patience.ts";

const SANDBOX = fileURLToPath(new URL("../../../sandbox/src/main.ts", import.meta.url));

export interface SandboxProcess {
  /** Origin of the sandbox's APIs and pages. */
  readonly url: string;
  /** UDP port of its phone network. */
  readonly sipPort: number;
  close(): Promise<void>;
}

/** Starts the sandbox as a separate process, as in production: the server reaches it only over the network. */
export async function startSandboxProcess(env: {
  databaseUrl: string;
  stripeSecretKey: string;
  stripeWebhookSecret: string;
  stripeWebhookUrl: string;
  /** Enables the OpenID provider, for a web app at `appUrl`. */
  google?: { clientId: string; clientSecret: string; appUrl: string };
}): Promise<SandboxProcess> {
  const child = fork(SANDBOX, [], {
    execArgv: [],
    stdio: ["ignore", "ignore", "pipe", "ipc"],
    env: {
      PATH: process.env["PATH"],
      SANDBOX_PORT: "0",
      SANDBOX_DATABASE_URL: env.databaseUrl,
      STRIPE_SECRET_KEY: env.stripeSecretKey,
      STRIPE_WEBHOOK_SECRET: env.stripeWebhookSecret,
      STRIPE_WEBHOOK_URL: env.stripeWebhookUrl,
      LOG_LEVEL: "warn",
      ...(env.google
        ? { GOOGLE_CLIENT_ID: env.google.clientId, GOOGLE_CLIENT_SECRET: env.google.clientSecret, APP_URL: env.google.appUrl }
        : {}),
    },
  });
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  let lastWords = "";
  child.stderr?.on("data", (chunk: Buffer) => (lastWords = (lastWords + chunk.toString()).slice(-2_000)));
  const { httpPort, sipPort } = await new Promise<{ httpPort: number; sipPort: number }>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`The sandbox was not ready in time. ${lastWords}`)), PATIENCE_MS);
    child.once("message", (message) => {
      clearTimeout(timer);
      resolve(message as { httpPort: number; sipPort: number });
    });
    child.once("exit", () => reject(new Error(`The sandbox ended at once. ${lastWords}`)));
  });
  return {
    url: `http://127.0.0.1:${httpPort}`,
    sipPort,
    async close() {
      child.kill("SIGTERM");
      await exited;
    },
  };
}
