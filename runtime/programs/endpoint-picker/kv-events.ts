import type { AgentOptions } from "node:https";
import type { Endpoint } from "../../../scheduling/endpoints/endpoint.ts";
import type { KvIndex } from "../../../scheduling/kv-index/kv-index.ts";
import type { TokenSource } from "../../../scheduling/plugins/producers/token-producer.ts";
import type { Clock } from "../../epp/clock.ts";
import type { Datastore } from "../../epp/datastore/datastore.ts";
import { KvEventSubscriptions, type KvEventsOptions } from "../../epp/kv-events/subscriptions.ts";
import type { AdmissionPolicy } from "../../epp/request-path/admit.ts";
import { debugKvEvents } from "../../epp/telemetry/debug-kv-events.ts";
import { KvEventMetrics } from "../../epp/telemetry/kv-event-metrics.ts";
import { PromptTokenizer } from "../../epp/tokens/prompt-tokenizer.ts";
import { TokenAdmission } from "../../epp/tokens/token-admission.ts";
import { TokenClient } from "../../epp/tokens/token-client.ts";
import type { Log } from "../../manager/log.ts";

/** Settings for KV events from the configuration. */
export interface KvEventInputs {
  readonly index: KvIndex;
  /** Undefined without KV events. */
  readonly source: Pick<KvEventsOptions, "port" | "replayPort" | "topicFilter"> | undefined;
  /** Undefined if tokens are estimated. */
  readonly tokens: TokenSource | undefined;
  /** Scheme of requests to model servers. */
  readonly scheme: "http" | "https";
  readonly tls: AgentOptions | undefined;
}

/** Subscribes to the pool's KV events, and finds the tokens of its requests. */
export function startKvEvents(
  { index, source, tokens, scheme, tls }: KvEventInputs,
  { datastore, clock, log }: { datastore: Datastore; clock: Clock; log: Log },
) {
  const endpoints = () => datastore.snapshot.endpoints;
  const metrics = new KvEventMetrics({ index, endpoints });
  const subscriptions =
    source &&
    new KvEventSubscriptions({ ...source, index, observer: metrics, random: clock.random });
  const client = new TokenClient({ tls, now: clock.now });
  const tokenizer =
    tokens &&
    new PromptTokenizer({
      client,
      nextOrigin: originsInTurn(tokens.url, scheme, endpoints),
      isNeeded: () => index.isSubscribed,
      timeoutMs: tokens.timeoutMs,
      now: clock.now,
      onOutcome: (outcome) => metrics.tokenized(outcome),
      onFailure: ({ message }) => log.debug("tokens of a prompt unknown", { error: message }),
    });
  return {
    families: metrics.families,
    debug: () => ({
      tokens: { askedOf: tokens?.url ?? "the endpoints", problem: tokenizer?.problem ?? null },
      endpoints: debugKvEvents(index, endpoints(), (each, rank) =>
        subscriptions?.problem(each, rank),
      ),
    }),
    watch: (pods: readonly Endpoint[]) => subscriptions?.watch(pods),
    admission: (next: AdmissionPolicy): AdmissionPolicy =>
      tokenizer === undefined ? next : new TokenAdmission(tokenizer, next),
    stop() {
      subscriptions?.stop();
      client.close();
    },
  };
}

/** Returns the origins of endpoints that accept connections in rotation, so that no endpoint tokenizes every prompt. */
function originsInTurn(
  url: string | undefined,
  scheme: string,
  endpoints: () => readonly Endpoint[],
): () => string | undefined {
  if (url !== undefined) return () => url.replace(/\/+$/, "");
  let turn = 0;
  return () => {
    const up = endpoints().filter(({ live }) => !live.isDown);
    turn += 1;
    const next = up[turn % up.length];
    return next && `${scheme}://${next.address}`;
  };
}
