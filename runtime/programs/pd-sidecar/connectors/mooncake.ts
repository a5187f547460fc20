import { randomUUID } from "node:crypto";
import { hostPort } from "../../../../scheduling/endpoint.ts";
import { rankHeader } from "../../../endpoint-picker/request-path/engine-fields.ts";
import type { Connector } from "./connector.ts";

/** Milliseconds for which an engine may keep the question of its ids waiting. */
const timeout = 5_000;

/** Ranks of an engine by their ids. */
type Ranks = Readonly<Record<string, { readonly engine_id?: unknown }>>;

/**
 * vLLM's MooncakeConnector: the prefiller's bootstrap server tells the ids of its ranks, and the decoder asks there for the
 * blocks of a transfer. Ids are asked for every request, so that a new engine at an old address is never mistaken for it.
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

/** @throws Error where the bootstrap server names no engine */
async function anyRank(address: string): Promise<readonly [rank: string, engine: string]> {
  const answer = await fetch(`${address}/query`, { signal: AbortSignal.timeout(timeout) });
  if (!answer.ok) throw new Error(`${address}/query answered ${answer.status}`);
  const ranks = Object.entries((await answer.json()) as Ranks).flatMap(([rank, { engine_id }]) =>
    typeof engine_id === "string" ? [[rank, engine_id] as const] : [],
  );
  const chosen = ranks[Math.floor(Math.random() * ranks.length)];
  if (chosen === undefined) throw new Error(`${address}/query names no engine_id`);
  return chosen;
}
