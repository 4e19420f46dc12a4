import type { IncomingMessage, Server } from "node:http";
import { isIP } from "node:net";
import type { Duplex } from "node:stream";

import { FOR_NODE } from "../nodes/node-client.ts";
import { BROWSER_ADDRESS, BROWSER_TAB, type BrowserUpgrade } from "../nodes/forwarded-browsers.ts";

/**
 * Takes the WebSockets that other nodes forward to the control listener. `hasKey` comes first: nobody else's headers are believed. Upgrades
 * that are meant for another node, or name no tab, are refused.
 */
export function acceptForwardedBrowsers(
  server: Server,
  own: string,
  { hasKey, take }: { hasKey: (authorization: string | undefined) => boolean; take: (browser: BrowserUpgrade) => void },
): void {
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on("error", () => socket.destroy());
    const { [BROWSER_TAB]: voiceSdkId, [BROWSER_ADDRESS]: address, [FOR_NODE]: meant } = request.headers;
    if (!hasKey(request.headers.authorization)) return refuse(socket, "401 Unauthorized");
    if (meant !== own || typeof voiceSdkId !== "string" || typeof address !== "string" || isIP(address) === 0)
      return refuse(socket, "404 Not Found");
    take({ request, socket, head, voiceSdkId, address });
  });
}

function refuse(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}
