// Rule SBX66: what is shown as a picture has the size of one in its head.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pictureIn } from "./pictures.ts";

const hex = (text: string) => Buffer.from(text.replaceAll(" ", ""), "hex");
const riff = (chunk: Buffer) => {
  const head = Buffer.from("RIFF....WEBP");
  head.writeUInt32LE(4 + chunk.length, 4);
  return Buffer.concat([head, chunk]);
};

/** Each is 3 wide and 2 high, and ends where nothing more is looked at. */
const pictures: Record<string, readonly Buffer[]> = {
  "image/png": [
    hex(
      "89504e470d0a1a0a 0000000d 49484452 00000003 00000002 0802000000 00000000 00000000 49444154",
    ),
  ],
  "image/jpeg": [
    hex("ffd8 ffe0 0010 4a46494600010100000100010000 ffc0 000b 08 0002 0003 01 011100"),
    // Progressive, behind tables and a filling byte.
    hex("ffd8 ffdb 0004 0000 ffc4 0004 0000 ffff c2 000b 08 0002 0003 01 011100"),
  ],
  "image/gif": [
    hex("474946383961 0300 0200 00 00 00 2c"),
    hex("474946383761 0300 0200 00 00 00 2c"),
  ],
  "image/webp": [
    riff(hex("56503820 0e000000 000000 9d012a 0300 0200 00000000")),
    riff(hex("5650384c 0e000000 2f 02400000 00000000 0000000000")),
    riff(hex("56503858 0a000000 00000000 020000 010000")),
  ],
};

for (const [mediaType, all] of Object.entries(pictures)) {
  test(`[SBX66] ${mediaType} is known by the width and height in its head`, async () => {
    for (const picture of all)
      assert.deepEqual(await pictureIn(picture), { mediaType, isWhole: true });
  });

  test(`[SBX66] what only begins as ${mediaType} is none`, async () => {
    for (const picture of all)
      for (let length = 3; length <= 13; length++)
        assert.notEqual((await pictureIn(picture.subarray(0, length)))?.isWhole, true, `${length}`);
  });
}

test("[SBX66] a picture without a width or a height is none, nor is one whose segments lead nowhere", async () => {
  const none = [
    hex(
      "89504e470d0a1a0a 0000000d 49484452 00000000 00000002 0802000000 00000000 00000000 49444154",
    ),
    hex("ffd8 ffe0 0010 4a46494600010100000100010000 ffc0 000b 08 0002 0000 01 011100"),
    hex("ffd8 ffe0 ffff 4a46494600010100000100010000 ffc0 000b 08 0002 0003 01 011100"),
    hex("ffd8 ffe0 0000 0000000000000000000000000000"),
    hex("474946383961 0300 0000 00 00 00 2c"),
    riff(hex("56503820 0e000000 000000 000000 0300 0200 00000000")),
  ];
  for (const bytes of none)
    assert.equal((await pictureIn(bytes))?.isWhole, false, bytes.toString("hex"));
});
