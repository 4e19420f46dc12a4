import { decodeQR } from "qr/decode.js";
import { expect, test } from "vitest";
import { qrPath } from "./set-up-authenticator.ts";

test("the QR code decodes to its text", () => {
  const text = "otpauth://totp/Farline:ada@example.com?issuer=Farline&secret=JBSWY3DPEHPK3PXP";
  expect(readQr(qrPath(text))).toBe(text);
});

/** Rasterises the path and decodes the QR code. */
function readQr({ size, path }: { size: number; path: string }): string {
  const scale = 4;
  const width = size * scale;
  const data = new Uint8ClampedArray(width * width * 4).fill(255);
  for (const [, x = "", y = "", length = ""] of path.matchAll(/M(\d+) (\d+)h(\d+)v1h-\d+z/g))
    for (let row = Number(y) * scale; row < (Number(y) + 1) * scale; row += 1)
      for (let column = Number(x) * scale; column < (Number(x) + Number(length)) * scale; column += 1)
        data.fill(0, (row * width + column) * 4, (row * width + column) * 4 + 3);
  return decodeQR({ width, height: width, data });
}
