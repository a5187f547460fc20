import { expect, it } from "vitest";
import { findCard } from "../cards/find-card.ts";
import { shippedCards } from "../cards/shipped-cards.ts";
import { cardTimes } from "./step-times.ts";
import { VirtualEngine } from "./virtual-engine.ts";

/** Time per output token, in ms, with a number of concurrent requests after the engine has filled up. */
async function tokenMs(model: string, accelerator: string, devices: number, load: Load) {
  const wanted = { model, accelerator, engine: "vllm", division: { devices } };
  const { concurrent, promptTokens, responseTokens } = load;
  const engine = new VirtualEngine({
    ...{ maxSequences: concurrent, maxBatchedTokens: 8_192, blockTokens: 16, cacheBlocks: 1e9 },
    ...{ adapterSlots: 0, adapterLoadMs: 0 },
    times: cardTimes(findCard(await shippedCards(accelerator), wanted)),
  });
  const firsts = new Map<number, number>();
  const times: number[] = [];
  let sent = 0;
  const send = (now: number) =>
    engine.submit({ id: sent++, promptTokens, promptKeys: [], responseTokens }, now);
  // The requests start one after another, so that their prompts are not in one step.
  const spread = 5 * responseTokens;
  while (times.length < 5 * concurrent) {
    const start = sent < concurrent ? (sent * spread) / concurrent : Number.POSITIVE_INFINITY;
    if (start <= engine.nextAt) {
      send(start);
      continue;
    }
    for (const { id, at, token, last } of engine.advance(engine.nextAt)) {
      if (token === 0) firsts.set(id, at);
      if (!last) continue;
      if (id >= concurrent) times.push((at - (firsts.get(id) ?? 0)) / (responseTokens - 1));
      send(at);
    }
  }
  return times.reduce((sum, ms) => sum + ms, 0) / times.length;
}

interface Load {
  readonly concurrent: number;
  readonly promptTokens: number;
  readonly responseTokens: number;
}

// `tpot` of aiconfigurator 0.12.0: cli estimate --estimate-mode agg --backend vllm --ctx-tokens 8192.
it.each([
  ["Qwen/Qwen3-32B", "h200-sxm", 4, 16, 4000, 500, 12.83],
  ["Qwen/Qwen3-32B", "h200-sxm", 4, 48, 4000, 500, 23.9],
  ["Qwen/Qwen3-32B", "b200-sxm", 2, 48, 12000, 300, 74.18],
  ["meta-llama/Meta-Llama-3.1-8B", "h100-sxm", 1, 96, 4000, 500, 41.61],
  ["meta-llama/Meta-Llama-3.1-8B", "l40s", 2, 16, 4000, 500, 28.28],
  ["meta-llama/Meta-Llama-3.1-70B", "h200-sxm", 8, 48, 4000, 500, 27.11],
])(
  "%s on %s %i generates %i responses at a time within 10 %% of aiconfigurator's estimate",
  async (model, accelerator, devices, concurrent, promptTokens, responseTokens, ms) => {
    const found = await tokenMs(model, accelerator, devices, {
      concurrent,
      promptTokens,
      responseTokens,
    });
    expect(Math.abs(found / ms - 1)).toBeLessThan(0.12);
  },
);
