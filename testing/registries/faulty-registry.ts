import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Content, GeneratedImage } from "./generated-images.ts";

/** A stand-in of a registry, for faults that a real one does not have on demand. It serves pulls only. */
export interface FaultyRegistry extends AsyncDisposable {
  /** `localhost:PORT` */
  readonly address: string;
  /** `METHOD PATH RANGE` of each request. */
  readonly requests: string[];
  /** Points a tag at an image. */
  tag(name: string, image: GeneratedImage): void;
  /** Sends only this many bytes of a blob, once. */
  cut(digest: string, bytes: number): void;
  /** Sends other bytes of the same length for a content, as long as it is set. */
  forged: string | undefined;
  /** Sends bytes of a content without an end, until the client closes the connection. */
  endless: string | undefined;
  /** Responds with 401 to each request, as long as it is true. */
  locked: boolean;
  /** Removes a content. */
  forget(digest: string): void;
}

export async function startFaultyRegistry(): Promise<FaultyRegistry> {
  const contents = new Map<string, Content>();
  const tags = new Map<string, string>();
  const cuts = new Map<string, number>();
  const registry = {
    address: "",
    requests: [] as string[],
    forged: undefined as string | undefined,
    endless: undefined as string | undefined,
    locked: false,
    forget: (digest: string) => void contents.delete(digest),
    tag(name: string, { root, manifests, blobs }: GeneratedImage) {
      for (const each of [root, ...manifests, ...blobs]) contents.set(each.digest, each);
      tags.set(name, root.digest);
    },
    cut: (digest: string, bytes: number) => void cuts.set(digest, bytes),
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };

  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const { url = "", method, headers } = request;
    registry.requests.push([method, url, headers.range ?? ""].join(" ").trim());
    if (registry.locked) {
      response.writeHead(401, { "www-authenticate": 'Basic realm="registry"' }).end();
      return;
    }
    const [, repository, , reference = ""] =
      /^\/v2\/(.+)\/(manifests|blobs)\/([^/]+)$/.exec(url) ?? [];
    const digest = tags.get(`${repository}:${reference}`) ?? reference;
    const content = contents.get(digest);
    if (content === undefined) {
      const errors = [{ code: "MANIFEST_UNKNOWN", message: "manifest unknown" }];
      response.writeHead(404).end(JSON.stringify({ errors }));
      return;
    }
    if (registry.endless === digest) {
      response.writeHead(200);
      const timer = setInterval(() => response.write(content.bytes), 1);
      response.once("close", () => clearInterval(timer));
      return;
    }
    const bytes =
      registry.forged === digest ? Buffer.alloc(content.size, "x") : Buffer.from(content.bytes);
    const from = Number(/^bytes=(\d+)-/.exec(headers.range ?? "")?.[1] ?? 0);
    const part = bytes.subarray(from);
    response.writeHead(from === 0 ? 200 : 206, {
      "content-type": content.mediaType,
      "content-length": part.length,
    });
    const cut = cuts.get(digest);
    if (cut === undefined) {
      response.end(part);
    } else {
      cuts.delete(digest);
      response.write(part.subarray(0, cut), () => setTimeout(() => response.destroy(), 20));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  registry.address = `localhost:${(server.address() as AddressInfo).port}`;
  return registry;
}
