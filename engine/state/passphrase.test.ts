import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openSecrets, passphraseFrom } from "./passphrase.ts";

// Created by the Pulumi CLI 3.259 with the passphrase x.
const salt = "v1:0ec8cIcl3D0=:v1:xDHYAZLRpQek1Zxg:puQx4AQMoJWXqVnohE8hr4hNENDqLw==";
const ciphertext = "v1:LJlzd0UoemihfElq:bkDcUA8GsVV+GzzU/hOqr0vvhzGtmw==";

test("secrets of the CLI are decrypted", async () => {
  const secrets = await openSecrets(() => "x", salt);
  expect(secrets.decrypt(ciphertext, "")).toBe("s3cr3t");
  expect(secrets.salt).toBe(salt);
});

test("a wrong passphrase and a missing one have different errors", async () => {
  await expect(openSecrets(() => "y", salt)).rejects.toThrow("does not fit");
  await expect(openSecrets(() => undefined, salt)).rejects.toThrow("no passphrase is set");
});

test("a new salt is valid for its passphrase, even an empty one", async () => {
  const made = await openSecrets(() => "", undefined);
  const sealed = made.encrypt("text", "scope");
  expect(made.encrypt("text", "scope")).toBe(sealed);
  expect(made.encrypt("text", "other")).not.toBe(sealed);
  const again = await openSecrets(() => "", made.salt);
  expect(again.decrypt(sealed, "scope")).toBe("text");
  expect(again.encrypt("text", "scope")).toBe(sealed);
});

test("a changed ciphertext is not decrypted", async () => {
  const secrets = await openSecrets(() => "x", salt);
  expect(() => secrets.decrypt(ciphertext.replace("bkDc", "bkDd"), "")).toThrow();
});

test("S9: a ciphertext with a shortened tag is not decrypted", async () => {
  const secrets = await openSecrets(() => "x", salt);
  const [version, nonce, sealed = ""] = secrets.encrypt("", "").split(":");
  for (const bytes of [4, 8, 12, 15]) {
    const cut = Buffer.from(sealed, "base64").subarray(0, bytes).toString("base64");
    expect(() => secrets.decrypt([version, nonce, cut].join(":"), "")).toThrow(/tag length/);
  }
});

test("the passphrase is read from the environment or a file", () => {
  const folder = mkdtempSync(join(tmpdir(), "engine-passphrase-"));
  const file = join(folder, "phrase");
  writeFileSync(file, "from file\n");
  expect(
    passphraseFrom({ PULUMI_CONFIG_PASSPHRASE: "", PULUMI_CONFIG_PASSPHRASE_FILE: file })(),
  ).toBe("");
  expect(passphraseFrom({ PULUMI_CONFIG_PASSPHRASE_FILE: file })()).toBe("from file");
  expect(passphraseFrom({})()).toBeUndefined();
  rmSync(folder, { recursive: true });
});
