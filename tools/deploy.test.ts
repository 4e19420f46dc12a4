import { globSync, readFileSync } from "node:fs";
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
}
interface Pod {
  readonly terminationGracePeriodSeconds: number;
  readonly containers: readonly Container[];
}
interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec: { readonly serviceName?: string; readonly replicas?: number; readonly template?: { readonly spec: Pod } };
}
interface ComposeService {
  readonly image: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly stop_grace_period?: string;
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
];

/** A valid value for a setting that comes from a secret or the machine. */
function anyValue(name: keyof typeof settings): string | undefined {
  const { schema } = settings[name];
  return ["203.0.113.7", "exchange-0", "https://example.com", "postgres://db/x", "1:x", "+12025550143", "x".repeat(32)].find(
    (value) => schema.safeParse(value).success,
  );
}

describe("the deployment examples", () => {
  test("run both programs in both formats", () => {
    expect(examples.map(({ from }) => from).toSorted()).toEqual([
      "compose exchange",
      "compose service",
      "kubernetes exchange",
      "kubernetes service",
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

  test("list each exchange pod as a node with its address", () => {
    const set = manifests.find(({ kind, metadata }) => kind === "StatefulSet" && metadata.name === "exchange");
    const names = Array.from({ length: set?.spec.replicas ?? 0 }, (_, index) => `exchange-${index}`);
    const listed = examples.find(({ from }) => from === "kubernetes exchange")?.env["VOICE_NODES"] ?? "";
    expect(listed).toBe(names.map((name) => `${name}=http://${name}.${set?.spec.serviceName}:3006`).join(" "));
    expect(Object.keys(manifests.find(({ kind }) => kind === "ConfigMap")?.data ?? {})).toEqual(names);
  });

  test("build the images that they start", () => {
    const stages = [...readFileSync("deploy/Containerfile", "utf8").matchAll(/^FROM \S+ AS (\w+)$/gm)].map(([, stage]) => stage);
    for (const { program } of examples) expect(stages).toContain(program);
  });
});
