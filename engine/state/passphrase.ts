import {
  createCipheriv,
  createDecipheriv,
  createHash,
  pbkdf2 as pbkdf2Callback,
  randomBytes,
} from "node:crypto";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";

const pbkdf2 = promisify(pbkdf2Callback);

// Cost, key length and text formats are the same as in Pulumi's passphrase provider, so that each can read the other's
// data.
const ITERATIONS = 1_000_000;
const KEY_BYTES = 32;
const SALT_BYTES = 8;
const TAG_BYTES = 16;
const CHECK_TEXT = "pulumi";

/** Encrypts and decrypts the secrets of a stack's state, and decrypts the secrets of its configuration. */
export interface SecretsManager {
  /** `v1:<salt>:<check>`, to be stored with the ciphertexts. */
  readonly salt: string;
  /**
   * Encrypts a string. Equal strings of one scope get equal ciphertexts, so that unchanged state stays identical byte
   * for byte.
   */
  encrypt(text: string, scope: string): string;
  decrypt(ciphertext: string, scope: string): string;
}

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

/** Opens the secrets of a stack. Without a salt, it creates one. */
export async function openSecrets(
  passphrase: PassphraseSource,
  salt: string | undefined,
): Promise<SecretsManager> {
  const phrase = passphrase();
  if (phrase === undefined) {
    throw new Error(
      "the stack has secrets and no passphrase is set; set PULUMI_CONFIG_PASSPHRASE or PULUMI_CONFIG_PASSPHRASE_FILE",
    );
  }
  const saltBytes =
    salt === undefined ? randomBytes(SALT_BYTES) : Buffer.from(saltField(salt), "base64");
  const key = await deriveKey(phrase, saltBytes);
  if (salt !== undefined && !opens(key, salt)) {
    throw new Error(
      "the passphrase does not fit the stack's secrets; set PULUMI_CONFIG_PASSPHRASE to the one they were encrypted with",
    );
  }
  return secretsManager(key, salt ?? `v1:${saltBytes.toString("base64")}:${seal(key, CHECK_TEXT)}`);
}

const keys = new Map<string, Promise<Buffer>>();

/** A derivation takes most of a second by design, so each key is derived once per process. */
function deriveKey(phrase: string, salt: Buffer): Promise<Buffer> {
  const id = createHash("sha256").update(salt).update(phrase).digest("base64");
  const known = keys.get(id) ?? pbkdf2(phrase, salt, ITERATIONS, KEY_BYTES, "sha256");
  keys.set(id, known);
  return known;
}

function secretsManager(key: Buffer, salt: string): SecretsManager {
  const ciphertexts = new Map<string, string>();
  const id = (text: string, scope: string) =>
    createHash("sha256")
      .update(JSON.stringify([scope, text]))
      .digest("base64");
  return {
    salt,
    encrypt(text, scope) {
      const ciphertext = ciphertexts.get(id(text, scope)) ?? seal(key, text);
      ciphertexts.set(id(text, scope), ciphertext);
      return ciphertext;
    },
    decrypt(ciphertext, scope) {
      const text = unseal(key, ciphertext);
      ciphertexts.set(id(text, scope), ciphertext);
      return text;
    },
  };
}

function saltField(salt: string): string {
  const [version, bytes] = salt.split(":");
  if (version !== "v1" || bytes === undefined) {
    throw new Error(`encryption salt ${JSON.stringify(salt)} is not of the form v1:<salt>:<check>`);
  }
  return bytes;
}

function opens(key: Buffer, salt: string): boolean {
  try {
    return unseal(key, salt.split(":").slice(2).join(":")) === CHECK_TEXT;
  } catch {
    return false;
  }
}

function seal(key: Buffer, text: string): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", key, nonce);
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
  return `v1:${nonce.toString("base64")}:${sealed.toString("base64")}`;
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
