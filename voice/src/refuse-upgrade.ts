import type { Duplex } from "node:stream";

/** Refuses a WebSocket upgrade. @param status code and reason phrase */
export function refuseUpgrade(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}
