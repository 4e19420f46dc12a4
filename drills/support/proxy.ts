import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { atTheEnd, folder } from "./run-drill.ts";

const DEPLOY = new URL("../../deploy/haproxy/", import.meta.url);

/**
 * Starts HAProxy with the shipped defaults and the proxies of a file of deploy/haproxy, until the end of the drill.
 * @param ports the ports to use instead of the file's
 */
export function startProxy(
  file: "haproxy.cfg" | "exchanges.cfg" | "commands.cfg",
  ports: Readonly<Record<number, number | undefined>>,
): void {
  const [defaults = "", services = ""] = shipped("haproxy.cfg").split(/(?=^frontend)/m);
  const proxies = file === "haproxy.cfg" ? services : shipped(file);
  const path = join(folder, file);
  writeFileSync(path, `${defaults}${proxies.replaceAll(/(?<=127\.0\.0\.1:)\d+/g, (port) => String(ports[Number(port)]))}`);
  const proxy = spawn("haproxy", ["-db", "-f", path], { stdio: "inherit" });
  atTheEnd(() => proxy.kill("SIGTERM"));
}

function shipped(name: string): string {
  return readFileSync(new URL(name, DEPLOY), "utf8");
}
