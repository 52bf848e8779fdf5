// Public and private addresses, range by range.
import assert from "node:assert/strict";
import { test } from "node:test";
import { isPublicAddress, parseRange, rangesOf } from "./addresses.ts";

test("what anybody on the internet may be is public", () => {
  for (const address of [
    "1.1.1.1",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.1",
    "172.15.255.255",
    "172.32.0.0",
    "192.167.255.255",
    "192.169.0.0",
    "223.255.255.255",
    "2606:4700:4700::1111",
    "2a00:1450:4001::1",
  ])
    assert.ok(isPublicAddress(address), address);
});

test("what belongs to a machine, a network or nobody is not", () => {
  for (const address of [
    "0.0.0.0",
    "10.0.0.0",
    "10.255.255.255",
    "100.64.0.1",
    "100.100.100.200",
    "127.0.0.1",
    "127.255.255.254",
    "168.63.129.16",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.192",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.0.1",
    "198.19.255.255",
    "198.51.100.7",
    "203.0.113.7",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::7f00:1",
    "::ffff:127.0.0.1",
    "::ffff:8.8.8.8",
    "::ffff:808:808",
    "64:ff9b::8.8.8.8",
    "64:ff9b::7f00:1",
    "64:ff9b:1::a00:1",
    "100::1",
    "2001::1",
    "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    "2001:db8::1",
    "2002:7f00:1::",
    "3fff::1",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fec0::1",
    "ff02::1",
    "localhost",
    "",
    "127.1",
    "0x7f000001",
  ])
    assert.ok(!isPublicAddress(address), address);
});

test("a range is an address with the length of its prefix, or one address", () => {
  assert.deepEqual(parseRange("10.0.0.0/8"), { address: "10.0.0.0", bits: 8 });
  assert.deepEqual(parseRange("10.1.2.3"), { address: "10.1.2.3", bits: 32 });
  assert.deepEqual(parseRange("fd00::/8"), { address: "fd00::", bits: 8 });
  assert.deepEqual(parseRange("::1"), { address: "::1", bits: 128 });
  for (const text of ["", "10.0.0.0/33", "::/129", "10.0.0/8", "10.0.0.0/", "a/8", "fe80::1%1/64"])
    assert.equal(parseRange(text), undefined, text);
  assert.equal(parseRange("10.0.0.0/8/8"), undefined);
  assert.throws(() => rangesOf(["ten"]), /not a range/);
});

test("a range has its addresses and nobody else's, whatever family they are dressed in", () => {
  const ranges = rangesOf(["10.0.0.0/8", "fd00::/8"]);
  assert.deepEqual(
    ["10.1.2.3", "fd12::1", "11.0.0.1", "fe80::1", "::ffff:10.1.2.3", "10.1"].map(ranges.has),
    [true, true, false, false, false, false],
  );
});
