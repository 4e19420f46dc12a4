import { expect, test } from "vitest";
import { sharedOrigin, tellingOrigins } from "./same-origin.ts";

const ada = { browsers: ["a1", "a2"], networks: ["203.0.1.x"] };

test("a browser or a network in common is found, the browser first", () => {
  expect(sharedOrigin(ada, { browsers: ["b", "a2"], networks: [] })).toBe("same_browser");
  expect(sharedOrigin(ada, { browsers: ["b"], networks: ["198.51.x", "203.0.1.x"] })).toBe("same_network");
  expect(sharedOrigin(ada, { browsers: ["a2"], networks: ["203.0.1.x"] })).toBe("same_browser");
  expect(sharedOrigin(ada, { browsers: ["b"], networks: ["203.0.2.x"] })).toBeNull();
});

test("networks behind a router tell nothing", () => {
  const networks = [
    "127.0.0.x",
    "10.1.2.x",
    "192.168.1.x",
    "169.254.1.x",
    "172.16.0.x",
    "172.31.0.x",
    "fe80:1:2:x",
    "fd00:1:2:x",
  ];
  const shared = ["172.15.0.x", "172.32.0.x", "100.1.2.x", "2001:db8:1:x"];
  expect(tellingOrigins({ browsers: [], networks: [...networks, ...shared] }).networks).toEqual(shared);
});
