import { createHash } from "node:crypto";
import { z } from "zod";
import type { Endpoint } from "../../endpoints/endpoint.ts";
import { type Replicas, rendezvous, textKey } from "../../endpoints/rendezvous.ts";
import { limits } from "../../limits.ts";
import type { Cycle } from "../../profiles/cycle.ts";
import type { PreRequestHook } from "../../profiles/plugin.ts";
import { amount } from "../parameter-types.ts";

/** Session affinity, shared by a filter and a scorer: keeps the requests of a session on one pod. */

const source = z
  .strictObject({
    header: z.string().optional(),
    attribute: z.string().optional().describe("Refused: only headers are read."),
    producer: z.string().optional().describe("Not used."),
  })
  .refine(({ header = "", attribute = "" }) => header !== "" && attribute === "", {
    message: "only headers are read: set `header`, and remove `attribute`",
    path: ["header"],
  });

export const parameters = z.strictObject({
  strategy: z.enum(["encoded_endpoint_header", "session_id"]).default("encoded_endpoint_header"),
  encodedEndpointHeaderConfig: z
    .strictObject({ header: z.string().default("").describe("Empty: x-session-token.") })
    .prefault({}),
  sessionIdConfig: z
    .strictObject({
      sources: z.array(source).default([]).describe("Empty: header x-session-id."),
      evictionTtlSeconds: amount.default(0).describe("0 means 300."),
      evictionSweepSeconds: amount.default(0).describe("Not used."),
    })
    .prefault({}),
  profileName: z
    .string()
    .default("")
    .describe(
      "Profile whose endpoint all requests with a session_id keep. Empty: the profile whose endpoint responds.",
    ),
});

type SessionAffinityParameters = z.infer<typeof parameters>;

interface Affinity extends PreRequestHook {
  /** Returns the endpoints of the request's session, or none if it has no session or its pod is not in `endpoints`. */
  preferred(cycle: Cycle, endpoints: readonly Endpoint[]): readonly Endpoint[];
}

/** Creates the affinity of the configured strategy. */
export const affinity = (given: SessionAffinityParameters, replicas: Replicas): Affinity =>
  given.strategy === "session_id" ? bySessionId(given, replicas) : byToken(given);

/**
 * Reads the session's pod from a token that the client returns. The previous response set the token, to base64 of
 * `namespace/pod-rank-n`. A token without a rank means all ranks of the pod.
 */
function byToken({ encodedEndpointHeaderConfig }: SessionAffinityParameters): Affinity {
  const header = encodedEndpointHeaderConfig.header.trim().toLowerCase() || "x-session-token";
  return {
    preferred({ request }, endpoints) {
      const token = request.headers.get(header);
      if (token === undefined || token === "") return [];
      const name = Buffer.from(token, "base64").toString("utf8");
      return endpoints.filter(
        ({ namespace, pod, id }) => name === `${namespace}/${pod}` || name === id,
      );
    },
    preRequest: (_cycle, primary) => [[header, Buffer.from(primary.id).toString("base64")]],
  };
}

/**
 * Reads a session id that the client sets, and stores the pod of each session. A session moves when its pod is no
 * longer in `endpoints`, but not because another pod once has a better score. If the picker has other replicas, a
 * session that is new here starts on the endpoint that all replicas select for its id.
 */
function bySessionId(
  { sessionIdConfig, profileName }: SessionAffinityParameters,
  replicas: Replicas,
): Affinity {
  const headers = sessionIdConfig.sources.map(({ header = "" }) => header.trim().toLowerCase());
  const names = headers.length > 0 ? headers : ["x-session-id"];
  const lifeMs = 1000 * (sessionIdConfig.evictionTtlSeconds || 300);
  /** In order of last use, oldest first. */
  const sessions = new Map<string, { preferred: string; usedAt: number }>();
  const homeless = new WeakSet<Cycle>();
  const idOf = ({ request }: Cycle) =>
    shortened(names.map((name) => request.headers.get(name)?.trim()).find(Boolean));
  const sessionOf = (id: string | undefined, now: number) => {
    const session = sessions.get(id ?? "");
    return session === undefined || now - session.usedAt > lifeMs ? undefined : session;
  };
  return {
    preferred(cycle, endpoints) {
      const id = idOf(cycle);
      const session = sessionOf(id, cycle.chance.now);
      if (session === undefined) {
        if (id === undefined || replicas.count < 2) return [];
        const found = rendezvous(textKey(id), endpoints);
        return found === undefined ? [] : [found];
      }
      const preferred = endpoints.filter(({ id }) => id === session.preferred);
      if (preferred.length === 0) homeless.add(cycle);
      else homeless.delete(cycle);
      return preferred;
    },
    preRequest(cycle, primary) {
      const { now } = cycle.chance;
      const id = idOf(cycle);
      const target = profileName === "" ? primary : cycle.results.get(profileName)?.endpoints[0];
      if (id === undefined || target === undefined) return undefined;
      const known = sessionOf(id, now);
      if (known !== undefined && known.preferred !== target.id && !homeless.has(cycle))
        return undefined;
      sessions.delete(id);
      sessions.set(id, { preferred: target.id, usedAt: now });
      for (const [old, { usedAt }] of sessions) {
        if (now - usedAt <= lifeMs && sessions.size <= limits.sessions.value) break;
        sessions.delete(old);
      }
      return undefined;
    },
  };
}

/** Replaces a long session id with its hash: clients choose the length of the id. */
function shortened(id: string | undefined): string | undefined {
  if (id === undefined || id.length <= limits.sessionId.value) return id;
  return createHash("sha256").update(id).digest("base64");
}
