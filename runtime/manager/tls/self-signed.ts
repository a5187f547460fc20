import { generateKeyPairSync, randomBytes, sign } from "node:crypto";
import type { Certificate } from "./certificate.ts";

const years = 10;

/**
 * Returns a self-signed certificate (ECDSA, P-256) for servers whose clients do not verify it: the connection is
 * encrypted, but the server is not authenticated. X.509 (RFC 5280) is encoded here by hand, because only one fixed
 * structure is needed.
 *
 * @param hostname common name and only alternative name
 * @param now start of validity. One hour is subtracted for clients with a slow clock.
 * @param until end of validity. Default: 10 years later
 */
export function selfSignedCertificate(
  hostname: string,
  now: Date,
  until: Date = tenYearsAfter(now),
): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const from = new Date(now.getTime() - 3_600_000);
  const name = sequence(set(sequence(oid.commonName, der(tag.utf8, Buffer.from(hostname)))));
  const toBeSigned = sequence(
    der(tag.explicit0, integer(Buffer.of(2))), // version 3
    integer(serialNumber()),
    sequence(oid.ecdsaWithSha256),
    name,
    sequence(time(from), time(until)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    der(tag.explicit3, sequence(...extensions(hostname))),
  );
  const certificate = sequence(
    toBeSigned,
    sequence(oid.ecdsaWithSha256),
    bitString(sign("sha256", toBeSigned, privateKey), 0),
  );
  return {
    cert: pem("CERTIFICATE", certificate),
    key: Buffer.from(privateKey.export({ type: "pkcs8", format: "pem" })),
  };
}

function tenYearsAfter(now: Date): Date {
  const until = new Date(now);
  until.setUTCFullYear(now.getUTCFullYear() + years);
  return until;
}

const extensions = (hostname: string): Buffer[] => [
  sequence(oid.basicConstraints, critical, octets(sequence())), // not a CA
  sequence(oid.keyUsage, critical, octets(bitString(Buffer.of(0x80), 7))), // digitalSignature
  sequence(oid.extendedKeyUsage, octets(sequence(oid.serverAuth))),
  sequence(oid.subjectAltName, octets(sequence(der(tag.dnsName, Buffer.from(hostname))))),
];

/** Returns a positive serial number of 16 bytes without leading zeros. */
function serialNumber(): Buffer {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] as number) & 0x7f) | 0x40;
  return bytes;
}

const tag = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  utf8: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
  dnsName: 0x82,
  explicit0: 0xa0,
  explicit3: 0xa3,
} as const;

function der(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(content);
  if (body.length < 0x80) return Buffer.concat([Buffer.of(tag, body.length), body]);
  const length = Buffer.of(body.length >>> 8, body.length & 0xff);
  return Buffer.concat([Buffer.of(tag, 0x80 | length.length), length, body]);
}

const sequence = (...content: readonly Uint8Array[]) => der(tag.sequence, ...content);
const set = (content: Uint8Array) => der(tag.set, content);
const integer = (bytes: Uint8Array) => der(tag.integer, bytes);
const octets = (content: Uint8Array) => der(tag.octetString, content);
const bitString = (bits: Uint8Array, unused: number) => der(tag.bitString, Buffer.of(unused), bits);

/** Formats a time. Years from 2050 on have another type than earlier ones. */
function time(date: Date): Buffer {
  const digits = `${date.toISOString().slice(0, 19).replace(/[-:T]/g, "")}Z`;
  return date.getUTCFullYear() < 2050
    ? der(tag.utcTime, Buffer.from(digits.slice(2)))
    : der(tag.generalizedTime, Buffer.from(digits));
}

const objectId = (hex: string) => der(tag.oid, Buffer.from(hex, "hex"));
const oid = {
  commonName: objectId("550403"),
  basicConstraints: objectId("551d13"),
  keyUsage: objectId("551d0f"),
  extendedKeyUsage: objectId("551d25"),
  subjectAltName: objectId("551d11"),
  serverAuth: objectId("2b06010505070301"),
  ecdsaWithSha256: objectId("2a8648ce3d040302"),
};
const critical = der(tag.boolean, Buffer.of(0xff));

function pem(label: string, bytes: Buffer): Buffer {
  const lines = bytes.toString("base64").match(/.{1,64}/g) ?? [];
  return Buffer.from(`-----BEGIN ${label}-----\n${lines.join("\n")}\n-----END ${label}-----\n`);
}
