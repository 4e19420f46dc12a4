import type { IncomingMessage, Server } from "node:http";
import { isIP } from "node:net";
import type { Duplex } from "node:stream";
import { FOR_NODE } from "../nodes/node-client.ts";
import { BROWSER_ADDRESS, BROWSER_TAB, type BrowserUpgrade } from "../nodes/forwarded-browsers.ts";
import { refuseUpgrade } from "../refuse-upgrade.ts";

/**
 * Accepts WebSockets that other nodes forward to the control listener. Checks the key before it trusts any header, and refuses upgrades
 * for another node or without a tab.
 */
export function acceptForwardedBrowsers(
  server: Server,
  nodeName: string,
  { hasKey, accept }: { hasKey: (authorization: string | undefined) => boolean; accept: (browser: BrowserUpgrade) => void },
): void {
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on("error", () => socket.destroy());
    const { [BROWSER_TAB]: voiceSdkId, [BROWSER_ADDRESS]: address, [FOR_NODE]: target } = request.headers;
    if (!hasKey(request.headers.authorization)) return refuseUpgrade(socket, "401 Unauthorized");
    if (target !== nodeName || typeof voiceSdkId !== "string" || typeof address !== "string" || isIP(address) === 0)
      return refuseUpgrade(socket, "404 Not Found");
    accept({ request, socket, head, voiceSdkId, address });
  });
}
