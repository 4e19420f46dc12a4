import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { runbookNames } from "@farline/contract/operator/constants.ts";
import { expect, test } from "vitest";
import { parse } from "yaml";

const FOLDER = "deploy/monitoring";

interface Alert {
  readonly alert: string;
  readonly annotations: { readonly summary: string; readonly runbook_url: string };
}

const alerts = (parse(readFileSync(`${FOLDER}/alerts.yml`, "utf8")) as { groups: { rules: Alert[] }[] }).groups.flatMap(
  ({ rules }) => rules,
);

const promtool = (...args: string[]): string => execFileSync("promtool", args, { cwd: FOLDER, encoding: "utf8", stdio: "pipe" });

test("ordinary figures raise no alert, each kind of trouble raises its own, and a warning the one of its metric", () => {
  expect(promtool("test", "rules", "alerts.test.yml")).toContain("SUCCESS");
});

test("Prometheus accepts the configuration", () => {
  expect(promtool("check", "config", "--syntax-only", "prometheus.yml")).toContain("SUCCESS");
});

test("each alert has a runbook, and each runbook an alert", () => {
  const ofRules = alerts.map(({ annotations }) => annotations.runbook_url).filter((url) => !url.includes("$labels"));
  const named = [...new Set([...ofRules, ...runbookNames.map((name) => `docs/runbooks/${name}.md`)])].toSorted();
  const written = globSync("docs/runbooks/*.md").filter((path) => basename(path) !== "README.md");
  expect(named).toEqual(written.toSorted());
});
