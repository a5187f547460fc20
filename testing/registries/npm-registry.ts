import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import type { Stoppable } from "../processes/stop-all.ts";

/**
 * STAND-IN for registry.npmjs.org: stores the packages that `npm publish` sends, and redirects requests for all other packages
 * to the real registry. Like the real one, it requires a token, checks the integrity of an archive, and rejects a version that
 * exists. It verifies no provenance.
 */
export interface NpmRegistry extends Stoppable {
  /** Address, with a slash at the end. */
  readonly url: string;
  /** Returns the integrity of each version that was published, by `NAME@VERSION`. */
  published(): Record<string, string>;
}

export interface NpmRegistryOptions {
  /** Names that are never requested from the real registry. */
  readonly names: readonly string[];
  /** Token that may publish. */
  readonly token: string;
}

interface Version {
  readonly dist: { readonly integrity: string; readonly tarball: string };
}

/** The document that `npm publish` sends, and that `npm install` reads without its attachments. */
interface Packument {
  readonly "dist-tags": Record<string, string>;
  readonly versions: Record<string, Version>;
  readonly _attachments?: Record<string, { readonly data: string }>;
}

interface Answer {
  readonly status: number;
  readonly body?: Buffer | object;
  readonly location?: string;
}

const realRegistry = "https://registry.npmjs.org";

const refusal = (status: number, error: string): Answer => ({ status, body: { error } });

export async function startNpmRegistry({ names, token }: NpmRegistryOptions): Promise<NpmRegistry> {
  const packuments = new Map<string, Packument>();
  const archives = new Map<string, Buffer>();

  async function publish(name: string, request: IncomingMessage): Promise<Answer> {
    if (request.headers.authorization !== `Bearer ${token}`)
      return refusal(401, "the token is missing or wrong");
    const { _attachments = {}, ...sent } = (await json(request)) as Packument;
    const known = packuments.get(name);
    for (const [version, { dist }] of Object.entries(sent.versions)) {
      if (known?.versions[version] !== undefined)
        return refusal(403, `${name}@${version} was published before`);
      const archive = Object.values(_attachments).map(({ data }) => Buffer.from(data, "base64"))[0];
      const hash = createHash("sha512").update(archive ?? "");
      if (archive === undefined || `sha512-${hash.digest("base64")}` !== dist.integrity)
        return refusal(400, `the archive of ${name}@${version} has another integrity`);
      archives.set(new URL(dist.tarball).pathname, archive);
    }
    packuments.set(name, {
      ...sent,
      "dist-tags": { ...known?.["dist-tags"], ...sent["dist-tags"] },
      versions: { ...known?.versions, ...sent.versions },
    });
    return { status: 201, body: { ok: true } };
  }

  async function answer(request: IncomingMessage): Promise<Answer> {
    const path = request.url ?? "/";
    const name = decodeURIComponent(path.slice(1).split("/-/")[0] ?? "");
    if (!names.includes(name)) return { status: 302, location: `${realRegistry}${path}` };
    if (request.method === "PUT") return publish(name, request);
    const body = archives.get(path) ?? packuments.get(name);
    return body === undefined ? refusal(404, `${path} was not published`) : { status: 200, body };
  }

  const server = createServer(async (request, response) => {
    try {
      write(response, await answer(request));
    } catch (error) {
      write(response, refusal(500, String(error)));
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    published: () =>
      Object.fromEntries(
        [...packuments].flatMap(([name, { versions }]) =>
          Object.entries(versions).map(([version, { dist }]) => [
            `${name}@${version}`,
            dist.integrity,
          ]),
        ),
      ),
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function write(response: ServerResponse, { status, body, location }: Answer): void {
  if (location !== undefined) response.setHeader("location", location);
  const isArchive = Buffer.isBuffer(body);
  response.setHeader("content-type", isArchive ? "application/octet-stream" : "application/json");
  response.writeHead(status).end(isArchive ? body : JSON.stringify(body ?? {}));
}
