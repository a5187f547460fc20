import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";
import { readBody } from "../../../../kubernetes/api/read-body.ts";
import { hostPort } from "../../../../scheduling/endpoints/endpoint.ts";
import { isObject } from "../../../epp/payload/json-body.ts";
import { rankHeader } from "../../../epp/request-path/engine-fields.ts";
import type { Connector } from "./connector.ts";

/** Timeout of a query to the bootstrap server, in ms. */
const timeout = 5_000;

/** Longest response of the bootstrap server, in bytes. It lists a few ranks. */
const longestAnswer = 256 * 1024;

/**
 * vLLM's MooncakeConnector: the prefiller's bootstrap server returns the engine ids of its ranks, and the decoder
 * requests the blocks of a transfer there. Ids are queried for every request, so that a new engine is never mistaken
 * for the previous engine at the same address.
 *
 * @param bootstrapPort port of the prefillers' bootstrap servers, `--mooncake-bootstrap-port`
 */
export const mooncake = (bootstrapPort: number): Connector => ({
  order: "at-once",
  oneToken: true,
  async legs({ host }) {
    const address = `http://${hostPort(host, bootstrapPort)}`;
    const [rank, engine] = await anyRank(address);
    const transfer_id = `xfer-${randomUUID()}`;
    const params = (value: object) => ({
      kv_transfer_params: JSON.stringify({ ...value, transfer_id }),
    });
    return {
      prefill: params({ do_remote_prefill: false, do_remote_decode: true }),
      prefillHeaders: { [rankHeader]: rank },
      decode: () =>
        params({
          do_remote_prefill: true,
          do_remote_decode: false,
          remote_bootstrap_addr: address,
          remote_engine_id: engine,
        }),
    };
  },
});

/** @throws Error if the bootstrap server returns no engine id */
async function anyRank(address: string): Promise<readonly [rank: string, engine: string]> {
  const url = `${address}/query`;
  // Redirects are refused: they could lead to any address.
  const answer = await fetch(url, { signal: AbortSignal.timeout(timeout), redirect: "error" });
  if (!answer.ok || answer.body === null) throw new Error(`${url} answered ${answer.status}`);
  const body = Readable.fromWeb(answer.body as NodeReadableStream);
  const bytes = await readBody(body, { what: `the answer of ${url}`, maxBytes: longestAnswer });
  const ranks = ranksOf(JSON.parse(bytes.toString()));
  const chosen = ranks[Math.floor(Math.random() * ranks.length)];
  if (chosen === undefined) throw new Error(`${url} names no engine_id`);
  return chosen;
}

/** Ids of engines by their ranks. */
const ranksOf = (answer: unknown): Array<readonly [rank: string, engine: string]> =>
  Object.entries(isObject(answer) ? answer : {}).flatMap(([rank, engine]) =>
    /^\d{1,9}$/.test(rank) && isObject(engine) && typeof engine.engine_id === "string"
      ? [[rank, engine.engine_id] as const]
      : [],
  );
