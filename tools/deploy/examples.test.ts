import { globSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Program } from "@farline/contract/settings/setting.ts";
import { namesReadBy, parseSettings } from "@farline/contract/settings/read-settings.ts";
import { settings } from "@farline/contract/settings/settings.ts";
import { describe, expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";

interface Container {
  readonly name: Program;
  readonly image: string;
  readonly command?: readonly string[];
  readonly env: readonly { readonly name: string; readonly value?: string }[];
  readonly resources?: { readonly requests: Readonly<Record<string, string>> };
}
interface Pod {
  readonly terminationGracePeriodSeconds: number;
  readonly containers: readonly Container[];
  readonly securityContext: { readonly seccompProfile?: { readonly type: string } };
  readonly affinity?: object;
  readonly topologySpreadConstraints?: readonly { readonly topologyKey: string; readonly labelSelector: object }[];
}
interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec: {
    readonly serviceName?: string;
    readonly replicas?: number;
    readonly template?: { readonly spec: Pod };
    readonly selector?: Readonly<Record<string, unknown>>;
    readonly publishNotReadyAddresses?: boolean;
  };
}
interface ComposeService {
  readonly image: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly stop_grace_period?: string;
  readonly logging?: { readonly options: Readonly<Record<string, string>> };
  readonly shm_size?: string;
  readonly healthcheck?: { readonly test: readonly string[] };
}

const manifests: readonly Manifest[] = globSync("deploy/kubernetes/*.yaml").flatMap((path) =>
  parseAllDocuments(readFileSync(path, "utf8")).map((document) => {
    if (document.errors.length > 0) throw new Error(`${path}: ${document.errors.join("; ")}`);
    return document.toJS() as Manifest;
  }),
);
const pods = manifests.flatMap(({ spec }) => (spec?.template === undefined ? [] : [spec.template.spec]));
const compose = (parse(readFileSync("deploy/compose.yaml", "utf8")) as { services: Record<string, ComposeService> }).services;

/** One of our programs in a deployment example: its environment, and how long it may take to stop. */
interface Example {
  readonly from: string;
  readonly program: Program;
  /** Undefined for values that come from a secret or the machine. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly graceSeconds: number;
}

const examples: readonly Example[] = [
  ...pods.flatMap((pod) =>
    pod.containers.map(({ name, env, command = [] }) => ({
      from: `kubernetes ${name}`,
      program: name,
      env: {
        ...Object.fromEntries(env.map((one) => [one.name, one.value])),
        ...Object.fromEntries(
          [...command.join(" ").matchAll(/export (\w+)=/g)].map(([, exported = ""]) => [exported, undefined]),
        ),
      },
      graceSeconds: pod.terminationGracePeriodSeconds,
    })),
  ),
  ...Object.entries(compose)
    .filter(([, { image }]) => image.startsWith("farline-"))
    .map(([name, { environment, stop_grace_period: grace = "" }]) => ({
      from: `compose ${name}`,
      program: name as Program,
      env: Object.fromEntries(Object.entries(environment).map(([key, value]) => [key, value.includes("${") ? undefined : value])),
      graceSeconds: Number.parseInt(grace, 10) * (grace.endsWith("m") ? 60 : 1),
    })),
  ...(["service", "exchange"] as const).map((program) => {
    const { lines, env } = readUnit(program);
    const [grace = ""] = lines("TimeoutStopSec");
    return {
      from: `systemd ${program}`,
      program,
      env,
      graceSeconds: Number.parseInt(grace, 10) * (grace.endsWith("min") ? 60 : 1),
    };
  }),
];

/** A systemd unit's lines by name, and its environment; settings from files have no value here. */
function readUnit(name: string): { readonly lines: (key: string) => string[]; readonly env: Record<string, string | undefined> } {
  const text = readFileSync(`deploy/systemd/farline-${name}.service`, "utf8");
  const lines = (key: string) => [...text.matchAll(new RegExp(`^${key}=(.*)$`, "gm"))].map(([, value = ""]) => value);
  const env: Record<string, string | undefined> = {};
  for (const [, key = "", value = ""] of readFileSync(`deploy/systemd/${name}.env`, "utf8").matchAll(/^(\w+)="?(.*?)"?$/gm))
    env[key] = value;
  for (const assigned of lines("Environment").flatMap((line) => line.split(" ")))
    env[assigned.split("_FILE=")[0] ?? ""] = undefined;
  return { lines, env };
}

/** A valid value for a setting that comes from a secret or the machine. */
function anyValue(name: keyof typeof settings): string | undefined {
  const { schema } = settings[name];
  return ["203.0.113.7", "exchange-0", "https://example.com", "postgres://db/x", "1:x", "+12025550143", "x".repeat(32)].find(
    (value) => schema.safeParse(value).success,
  );
}

describe("the deployment examples", () => {
  test("run both programs in each format", () => {
    expect(examples.map(({ from }) => from).toSorted()).toEqual([
      "compose exchange",
      "compose service",
      "kubernetes exchange",
      "kubernetes service",
      "systemd exchange",
      "systemd service",
    ]);
  });

  test.each(examples)("set only known settings with valid values for $from", ({ program, env }) => {
    const known = namesReadBy(program);
    for (const name of Object.keys(env)) expect(known).toContain(name);
    const filled = Object.entries(env).map(([name, value]) => [name, value ?? anyValue(name as keyof typeof settings)]);
    expect(parseSettings(program, Object.fromEntries(filled))).not.toHaveProperty("problems");
  });

  test.each(examples.filter(({ program }) => program === "exchange"))("give calls enough time to end for $from", (example) => {
    const { DRAIN_MINUTES: minutes, VOICE_JOURNAL: journal } = example.env;
    expect(example.graceSeconds).toBeGreaterThanOrEqual(Number(minutes) * 60 + 60);
    expect(journal).toMatch(/^\/var\/lib\//);
  });

  test.each(examples.filter(({ program }) => program === "service"))(
    "give the service enough time to stop for $from",
    (example) => {
      const { STOP_NOTICE_SECONDS: notice } = example.env;
      expect(notice).toMatch(/^\d+$/);
      // As docs/operate/restart.md says.
      expect(example.graceSeconds).toBeGreaterThanOrEqual(Number(notice) + 6);
    },
  );

  test("list each exchange pod as a node with its address", () => {
    const set = manifests.find(({ kind, metadata }) => kind === "StatefulSet" && metadata.name === "exchange");
    const names = Array.from({ length: set?.spec.replicas ?? 0 }, (_, index) => `exchange-${index}`);
    const listed = examples.find(({ from }) => from === "kubernetes exchange")?.env["VOICE_NODES"] ?? "";
    expect(listed).toBe(names.map((name) => `${name}=http://${name}.${set?.spec.serviceName}:3006`).join(" "));
    expect(Object.keys(manifests.find(({ kind }) => kind === "ConfigMap")?.data ?? {})).toEqual(names);
  });

  test("serve pages from pods that are not ready, because their database is away", () => {
    const serviceOf = (name: string) =>
      manifests.find(({ kind, metadata }) => kind === "Service" && metadata.name === name)?.spec;
    expect(serviceOf("pages")?.selector).toEqual(serviceOf("service")?.selector);
    expect([serviceOf("pages")?.publishNotReadyAddresses, serviceOf("service")?.publishNotReadyAddresses]).toEqual([
      true,
      undefined,
    ]);
  });

  test("ask for what a pod needs, spread pods over machines, and limit what a program may ask the kernel", () => {
    for (const { containers, securityContext, affinity, topologySpreadConstraints: spread } of pods) {
      for (const { resources } of containers) expect(Object.keys(resources?.requests ?? {})).toEqual(["cpu", "memory"]);
      expect(securityContext.seccompProfile).toEqual({ type: "RuntimeDefault" });
      expect(affinity ?? spread).toBeDefined();
    }
    const [service] = manifests.filter(({ kind, metadata }) => kind === "Deployment" && metadata.name === "service");
    const [spread] = service?.spec.template?.spec.topologySpreadConstraints ?? [];
    expect(spread?.labelSelector).toEqual(service?.spec.selector);
  });

  test("keep the logs of containers from filling the disk, and give the database the memory that it shares", () => {
    for (const { logging } of Object.values(compose))
      expect(Object.keys(logging?.options ?? {})).toEqual(["max-size", "max-file"]);
    expect(compose["database"]?.shm_size).toBe("256mb");
  });

  test.each(examples.filter(({ program }) => program === "service"))("give callers a relay for $from", ({ env }) => {
    expect(env["TURN_URLS"]).toContain("turn:");
    expect(Object.keys(env)).toContain("TURN_SECRET");
  });

  test("build the images that they start", () => {
    const stages = [...readFileSync("deploy/Containerfile", "utf8").matchAll(/^FROM \S+ AS (\w+)$/gm)].map(([, stage]) => stage);
    for (const { program } of examples) expect(stages).toContain(program);
  });

  test("give the images' user a home for the command line and the folder of the journal", () => {
    const container = readFileSync("deploy/Containerfile", "utf8");
    const [, user = ""] = /^USER (\d+):\d+$/m.exec(container) ?? [];
    expect(container).toMatch(new RegExp(`echo "\\w+:x:${user}:${user}::/tmp:`));
    const journals = examples
      .filter(({ from }) => /^(compose|kubernetes) exchange$/.test(from))
      .map(({ env }) => env["VOICE_JOURNAL"]);
    for (const journal of journals) expect(container).toContain(`install -d -o ${user} -g ${user} ${dirname(journal ?? "")}`);
    expect(journals).toHaveLength(2);
  });

  test("ask the programs of compose whether they are ready, at the ports where they listen", () => {
    const portOf = { service: "PORT", exchange: "VOICE_PORT" } as const;
    for (const name of ["service", "exchange"] as const)
      expect(compose[name]?.healthcheck?.test.join(" ")).toContain(`:${compose[name]?.environment[portOf[name]]}/`);
  });

  test("hand the relay the exchange's announced address and no other", () => {
    const lines = readFileSync("deploy/coturn/turnserver.conf", "utf8").split("\n");
    const announced = examples.find(({ from }) => from === "systemd exchange")?.env["VOICE_MEDIA_ANNOUNCE"];
    expect(lines.filter((line) => line.startsWith("allowed-peer-ip"))).toEqual([`allowed-peer-ip=${announced}`]);
    expect(lines).toContain("denied-peer-ip=0.0.0.0-255.255.255.255");
  });

  test.each(["service", "exchange"] as const)("hand the unit of the %s each key that it reads from a file", (program) => {
    const { lines } = readUnit(program);
    const read = lines("Environment").flatMap((line) => line.split(" "));
    const given = lines("LoadCredential").map((line) => line.split(":"));
    expect(given.map(([name, file]) => [`${name}_FILE=%d/${name}`, file])).toEqual(
      read.map((one) => [one, `/etc/farline/keys/${one.split("_FILE=")[0]}`]),
    );
  });

  test("restart a unit however often it exits, stop the exchange before the service, and give audio priority", () => {
    const { lines } = readUnit("exchange");
    expect([lines("StartLimitIntervalSec"), readUnit("service").lines("StartLimitIntervalSec")]).toEqual([["0"], ["0"]]);
    expect(lines("After").join(" ").split(" ")).toContain("farline-service.service");
    const [, priority] = /^const AUDIO_PRIORITY = (-?\d+);/m.exec(readFileSync("voice/src/media/media-process.ts", "utf8")) ?? [];
    expect(lines("LimitNICE")).toEqual([priority]);
    expect(Number(lines("CPUWeight")[0])).toBeGreaterThan(100);
  });

  test.each(["service", "exchange"] as const)("run the unit of the %s from the folder of the current release", (program) => {
    const { lines } = readUnit(program);
    expect(lines("WorkingDirectory")).toEqual(["/opt/farline/current"]);
    expect(lines("ExecStart").join()).toMatch(/^\/opt\/farline\/current\/node_modules\//);
  });

  test("copy every workspace that an image's program imports", () => {
    const container = readFileSync("deploy/Containerfile", "utf8");
    const needed = (workspace: string, seen = new Set<string>()): Set<string> => {
      if (seen.has(workspace)) return seen;
      seen.add(workspace);
      const { dependencies = {} } = JSON.parse(readFileSync(`${workspace}/package.json`, "utf8")) as {
        dependencies?: Record<string, string>;
      };
      for (const name of Object.keys(dependencies))
        if (name.startsWith("@farline/")) needed(name.slice("@farline/".length), seen);
      return seen;
    };
    // The sandbox is for laptops: the command line only starts it with npm start.
    const wanted = [...needed("server"), ...needed("voice"), ...needed("cli")].filter((name) => name !== "sandbox");
    for (const name of wanted) {
      expect(container).toContain(`COPY ${name}/package.json ${name}/\n`);
      expect(container).toContain(`COPY ${name} ${name}\n`);
      expect(container).toContain(`--workspace ${name} `);
    }
    const { workspaces } = JSON.parse(readFileSync("package.json", "utf8")) as { workspaces: string[] };
    for (const name of workspaces) expect(container).toContain(`COPY ${name}/package.json ${name}/\n`);
  });
});
