import { createSocket } from "node:dgram";

export const LOCAL = "127.0.0.1";

/** A UDP port that nobody has bound. */
export async function freePort(): Promise<number> {
  const socket = createSocket("udp4");
  await new Promise<void>((resolve) => socket.bind(0, LOCAL, resolve));
  const { port } = socket.address();
  await new Promise<void>((resolve) => socket.close(() => resolve()));
  return port;
}
