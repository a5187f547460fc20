import { generateKeyPairSync, type JsonWebKey, sign } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** An issuer of JSON Web Tokens on 127.0.0.1. */
export interface TokenIssuer {
  readonly issuer: string;
  readonly jwksUrl: string;
  /** Returns a token with these claims, valid for an hour. */
  token(claims: object): string;
  stop(): Promise<void>;
}

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");

export async function startTokenIssuer(issuer = "https://issuer.example"): Promise<TokenIssuer> {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const key: JsonWebKey = publicKey.export({ format: "jwk" });
  const keys = JSON.stringify({ keys: [{ ...key, kid: "k", alg: "RS256", use: "sig" }] });
  const server = createServer((_, response) => response.end(keys)).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    issuer,
    jwksUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`,
    token(claims) {
      const now = Math.floor(Date.now() / 1_000);
      const parts = [
        encoded({ alg: "RS256", kid: "k", typ: "JWT" }),
        encoded({ iss: issuer, iat: now, exp: now + 3_600, ...claims }),
      ].join(".");
      return `${parts}.${sign("sha256", Buffer.from(parts), privateKey).toString("base64url")}`;
    },
    async stop() {
      server.close();
      await once(server, "close");
    },
  };
}
