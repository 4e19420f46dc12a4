import * as fc from "fast-check";

const change = fc.record({
  kind: fc.nat(5),
  at: fc.nat(),
  value: fc.constantFrom(0, 1, 2, 0x7f, 0x80, 0xff, 0x7fff, 0xffff),
  length: fc.nat(64),
});

/** Applies up to six changes of bytes, lengths and order to valid packets. Often keeps the first byte, which identifies the protocol. */
export function mutatedBytes(corpus: readonly Buffer[]): fc.Arbitrary<Buffer> {
  return fc
    .record({ base: fc.constantFrom(...corpus), other: fc.constantFrom(...corpus), changes: fc.array(change, { maxLength: 6 }) })
    .map(({ base, other, changes }) =>
      changes.reduce((packet, { kind, at, value, length }) => {
        const where = at % (packet.length + 1);
        if (kind === 0) return packet.subarray(0, where);
        if (kind === 1) return Buffer.concat([packet.subarray(0, where), Buffer.alloc(length, value), packet.subarray(where)]);
        if (kind === 2) return Buffer.concat([packet.subarray(0, where), packet.subarray(where + length)]);
        if (kind === 3) return Buffer.concat([packet.subarray(0, where), other.subarray(at % (other.length + 1))]);
        const changed = Buffer.from(packet);
        if (kind === 4 && where < changed.length) changed[where] = value & 0xff;
        if (kind === 5 && where + 2 <= changed.length) changed.writeUInt16BE(value, where);
        return changed;
      }, base),
    );
}
