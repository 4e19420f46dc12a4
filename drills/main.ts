/** `npm run drill [-- restore | restart | restart-exchanges | failover | faults | load | keys | images | peers]`. Exits with 2 if a drill finds a fault. */
const DRILLS: Readonly<Record<string, () => Promise<unknown>>> = {
  restore: () => import("./restore.ts"),
  restart: () => import("./restart.ts"),
  "restart-exchanges": () => import("./restart-exchanges.ts"),
  failover: () => import("./failover.ts"),
  faults: () => import("./faults/faults.ts"),
  load: () => import("./load.ts"),
  keys: () => import("./keys.ts"),
  images: () => import("./images.ts"),
  peers: () => import("./peers.ts"),
};
const [name = "restore"] = process.argv.slice(2);
const drill = DRILLS[name];
if (drill === undefined) throw new Error(`There is no drill "${name}". Known: ${Object.keys(DRILLS).join(", ")}.`);
await drill();
