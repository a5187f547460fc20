import { createHash } from "node:crypto";
import * as sessions from "./config/plugins/session-affinity.ts";
import type { Cycle } from "./cycle.ts";
import type { Endpoint } from "./endpoint.ts";
import { limits } from "./limits.ts";
import { type PreRequestHook, pluginType } from "./plugin.ts";

/** Keeps the requests of a session on one pod: as a filter, or as a scorer. */

interface Affinity extends PreRequestHook {
  /** The endpoints of the request's session; none where it has no session, or its pod is not among them. */
  home(cycle: Cycle, endpoints: readonly Endpoint[]): readonly Endpoint[];
}

const affinity = (given: sessions.SessionAffinityParameters): Affinity =>
  given.strategy === "session_id" ? bySessionId(given) : byToken(given);

/**
 * The client says by a token which pod served it, as the response before told it: base64 of `namespace/pod-rank-n`.
 * One without a rank means all ranks of the pod.
 */
function byToken({ encodedEndpointHeaderConfig }: sessions.SessionAffinityParameters): Affinity {
  const header = encodedEndpointHeaderConfig.header.trim().toLowerCase() || "x-session-token";
  return {
    home({ request }, endpoints) {
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
 * The client names its session; the picker remembers where it went. A session moves when its pod is not among the
 * endpoints any more, not when another one outweighs it once.
 */
function bySessionId({
  sessionIdConfig,
  profileName,
}: sessions.SessionAffinityParameters): Affinity {
  const headers = sessionIdConfig.sources.map(({ header = "" }) => header.trim().toLowerCase());
  const names = headers.length > 0 ? headers : ["x-session-id"];
  const lifeMs = 1000 * (sessionIdConfig.evictionTtlSeconds || 300);
  /** In order of use: the old ones come first. */
  const sessions = new Map<string, { home: string; usedAt: number }>();
  const homeless = new WeakSet<Cycle>();
  const idOf = ({ request }: Cycle) =>
    shortened(names.map((name) => request.headers.get(name)?.trim()).find(Boolean));
  const sessionOf = (id: string | undefined, now: number) => {
    const session = sessions.get(id ?? "");
    return session === undefined || now - session.usedAt > lifeMs ? undefined : session;
  };
  return {
    home(cycle, endpoints) {
      const session = sessionOf(idOf(cycle), cycle.chance.now);
      if (session === undefined) return [];
      const home = endpoints.filter(({ id }) => id === session.home);
      if (home.length === 0) homeless.add(cycle);
      else homeless.delete(cycle);
      return home;
    },
    preRequest(cycle, primary) {
      const { now } = cycle.chance;
      const id = idOf(cycle);
      const target = profileName === "" ? primary : cycle.results.get(profileName)?.endpoints[0];
      if (id === undefined || target === undefined) return undefined;
      const known = sessionOf(id, now);
      if (known !== undefined && known.home !== target.id && !homeless.has(cycle)) return undefined;
      sessions.delete(id);
      sessions.set(id, { home: target.id, usedAt: now });
      for (const [old, { usedAt }] of sessions) {
        if (now - usedAt <= lifeMs && sessions.size <= limits.sessions.value) break;
        sessions.delete(old);
      }
      return undefined;
    },
  };
}

/** A client's session is as long as it likes: a long one is known by its hash. */
function shortened(id: string | undefined): string | undefined {
  if (id === undefined || id.length <= limits.sessionId.value) return id;
  return createHash("sha256").update(id).digest("base64");
}

export const sessionAffinityFilter = pluginType({
  ...sessions.sessionAffinityFilter,
  create(given) {
    const kept = affinity(given);
    return {
      filter: {
        filter(cycle, endpoints) {
          const home = kept.home(cycle, endpoints);
          return home.length > 0 ? home : endpoints;
        },
      },
      preRequestHook: kept,
    };
  },
});

export const sessionAffinityScorer = pluginType({
  ...sessions.sessionAffinityScorer,
  create(given) {
    const kept = affinity(given);
    return {
      scorer: {
        score(cycle, endpoints) {
          const home = kept.home(cycle, endpoints);
          return endpoints.map((endpoint) => (home.includes(endpoint) ? 1 : 0));
        },
      },
      preRequestHook: kept,
    };
  },
});
