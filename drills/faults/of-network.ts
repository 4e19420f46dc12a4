import { execFileSync, spawnSync } from "node:child_process";
import type { Product } from "@farline/e2e/support/product.ts";
import { AWAY, AWAY_MS, type Fault } from "../support/fault-table.ts";
import { atTheEnd } from "../support/run-drill.ts";

/** Packets that are lost between programs of this machine, by its firewall. None without root. */
export function faultsOfNetwork(product: Product): Fault[] {
  if (spawnSync("iptables", ["--list", "INPUT"]).status !== 0) return [];
  const port = Number(new URL(product.url).port);
  const cut = (name: string, ...packets: string[][]): Fault => ({
    name: `${name} for ${AWAY}`,
    survives: false,
    lastsMs: AWAY_MS,
    async strike() {
      const change = (how: "--append" | "--delete") => {
        for (const one of packets)
          execFileSync("iptables", [how, "INPUT", "--in-interface", "lo", ...one, "--jump", "DROP"], { stdio: "ignore" });
      };
      change("--append");
      let repaired = false;
      const repair = () => {
        if (!repaired) change("--delete");
        repaired = true;
      };
      atTheEnd(repair);
      return repair;
    },
  });
  const udp = ["--protocol", "udp"];
  // `npm start` puts the carrier's SIP three ports above the service, and the exchange's commands six.
  const carrier = String(port + 3);
  return [
    cut("carrier's network cut", [...udp, "--destination-port", carrier], [...udp, "--source-port", carrier]),
    cut("sound and signalling of all calls lost", udp),
    cut("service's commands do not reach the exchange", ["--protocol", "tcp", "--destination-port", String(port + 6)]),
  ];
}
