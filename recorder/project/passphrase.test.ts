import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openSecrets, passphraseFrom } from "./passphrase.ts";

// Created by the Pulumi CLI 3.259 with the passphrase x.
const salt = "v1:0ec8cIcl3D0=:v1:xDHYAZLRpQek1Zxg:puQx4AQMoJWXqVnohE8hr4hNENDqLw==";
const ciphertext = "v1:LJlzd0UoemihfElq:bkDcUA8GsVV+GzzU/hOqr0vvhzGtmw==";

test("secrets of the CLI are decrypted", async () => {
  const decrypt = await openSecrets(() => "x", salt);
  expect(decrypt(ciphertext)).toBe("s3cr3t");
});

test("a wrong passphrase, a missing passphrase and a missing salt have different errors", async () => {
  await expect(openSecrets(() => "y", salt)).rejects.toThrow("does not fit");
  await expect(openSecrets(() => undefined, salt)).rejects.toThrow("no passphrase is set");
  await expect(openSecrets(() => "x", undefined)).rejects.toThrow("not of the form v1");
});

test("a changed ciphertext is not decrypted", async () => {
  const decrypt = await openSecrets(() => "x", salt);
  expect(() => decrypt(ciphertext.replace("bkDc", "bkDd"))).toThrow();
});

test("S9: a ciphertext with a shortened tag is not decrypted", async () => {
  const decrypt = await openSecrets(() => "x", salt);
  const [version, nonce, sealed = ""] = ciphertext.split(":");
  for (const bytes of [4, 8, 12, 15]) {
    const cut = Buffer.from(sealed, "base64").subarray(0, bytes).toString("base64");
    expect(() => decrypt([version, nonce, cut].join(":"))).toThrow(/tag length/);
  }
});

test("the passphrase is read from the environment or a file", () => {
  const folder = mkdtempSync(join(tmpdir(), "recorder-passphrase-"));
  const file = join(folder, "phrase");
  writeFileSync(file, "from file\n");
  expect(
    passphraseFrom({ PULUMI_CONFIG_PASSPHRASE: "", PULUMI_CONFIG_PASSPHRASE_FILE: file })(),
  ).toBe("");
  expect(passphraseFrom({ PULUMI_CONFIG_PASSPHRASE_FILE: file })()).toBe("from file");
  expect(passphraseFrom({})()).toBeUndefined();
  rmSync(folder, { recursive: true });
});
