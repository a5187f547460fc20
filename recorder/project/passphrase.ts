import { createDecipheriv, createHash, pbkdf2 as pbkdf2Callback } from "node:crypto";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";

const pbkdf2 = promisify(pbkdf2Callback);

// Cost, key length and text formats of Pulumi's passphrase provider.
const ITERATIONS = 1_000_000;
const KEY_BYTES = 32;
const TAG_BYTES = 16;
const CHECK_TEXT = "pulumi";

/** Decrypts a secret of a stack's configuration. */
export type Decrypt = (ciphertext: string) => string;

/** Returns the passphrase, or `undefined` if none is set. An empty passphrase counts as set. */
export type PassphraseSource = () => string | undefined;

/**
 * Returns a source that reads `PULUMI_CONFIG_PASSPHRASE`, else the first line of the file named in
 * `PULUMI_CONFIG_PASSPHRASE_FILE`.
 */
export function passphraseFrom(env: NodeJS.ProcessEnv = process.env): PassphraseSource {
  return () => {
    if (env.PULUMI_CONFIG_PASSPHRASE !== undefined) return env.PULUMI_CONFIG_PASSPHRASE;
    const file = env.PULUMI_CONFIG_PASSPHRASE_FILE;
    return file ? readFileSync(file, "utf8").trim() : undefined;
  };
}

/**
 * Opens the secrets of a stack.
 *
 * @param salt the `encryptionsalt` of its configuration: `v1:<salt>:<check>`
 * @throws Error if the passphrase is missing or another one
 */
export async function openSecrets(
  passphrase: PassphraseSource,
  salt: string | undefined,
): Promise<Decrypt> {
  const phrase = passphrase();
  if (phrase === undefined) {
    throw new Error(
      "the stack has secrets and no passphrase is set; set PULUMI_CONFIG_PASSPHRASE or PULUMI_CONFIG_PASSPHRASE_FILE",
    );
  }
  const [version, bytes, ...check] = (salt ?? "").split(":");
  if (version !== "v1" || bytes === undefined) {
    throw new Error(
      `encryptionsalt ${JSON.stringify(salt ?? "")} of the stack is not of the form v1:<salt>:<check>`,
    );
  }
  const key = await deriveKey(phrase, Buffer.from(bytes, "base64"));
  if (!opens(key, check.join(":"))) {
    throw new Error(
      "the passphrase does not fit the stack's secrets; set PULUMI_CONFIG_PASSPHRASE to the one they were encrypted with",
    );
  }
  return (ciphertext) => unseal(key, ciphertext);
}

const keys = new Map<string, Promise<Buffer>>();

/** A derivation takes most of a second by design, so each key is derived once per process. */
function deriveKey(phrase: string, salt: Buffer): Promise<Buffer> {
  const id = createHash("sha256").update(salt).update(phrase).digest("base64");
  const known = keys.get(id) ?? pbkdf2(phrase, salt, ITERATIONS, KEY_BYTES, "sha256");
  keys.set(id, known);
  return known;
}

function opens(key: Buffer, check: string): boolean {
  try {
    return unseal(key, check) === CHECK_TEXT;
  } catch {
    return false;
  }
}

function unseal(key: Buffer, ciphertext: string): string {
  const [version, nonce, sealed] = ciphertext.split(":");
  if (version !== "v1" || nonce === undefined || sealed === undefined) {
    throw new Error("a secret of the stack is not of the form v1:<nonce>:<ciphertext>");
  }
  const bytes = Buffer.from(sealed, "base64");
  const decipher = createDecipheriv("aes-256-gcm", key, Buffer.from(nonce, "base64"), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  return decipher.update(bytes.subarray(0, -TAG_BYTES), undefined, "utf8") + decipher.final("utf8");
}
