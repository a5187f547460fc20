import { z } from "zod";
import type { Endpoint } from "../datastore/endpoint.ts";
import type { Cycle } from "./cycle.ts";
import { type LaunchHook, pluginType } from "./plugin.ts";

/** Keeps the requests of a session on one pod: as a filter, or as a scorer. */

const source = z
  .strictObject({
    header: z.string().optional(),
    attribute: z.string().optional(),
    producer: z.string().optional(),
  })
  .refine(({ header }) => header !== undefined && header !== "", {
    message: "only headers are read: give header",
    path: ["header"],
  });

const parameters = z.strictObject({
  strategy: z.enum(["encoded_endpoint_header", "session_id"]).default("encoded_endpoint_header"),
  encodedEndpointHeaderConfig: z
    .strictObject({ header: z.string().default("") })
    .default({ header: "" }),
  sessionIdConfig: z
    .strictObject({
      sources: z.array(source).default([]),
      evictionTtlSeconds: z.number().min(0).default(0),
      evictionSweepSeconds: z.number().min(0).default(0),
    })
    .default({ sources: [], evictionTtlSeconds: 0, evictionSweepSeconds: 0 }),
  profileName: z.string().default(""),
});

type Parameters = z.infer<typeof parameters>;

interface Affinity extends LaunchHook {
  isHome(cycle: Cycle): ((endpoint: Endpoint) => boolean) | undefined;
}

const affinity = (given: Parameters): Affinity =>
  given.strategy === "session_id" ? bySessionId(given) : byToken(given);

/** The client says by a token which pod served it: base64 of namespace/name. */
function byToken({ encodedEndpointHeaderConfig }: Parameters): Affinity {
  const header = encodedEndpointHeaderConfig.header.trim().toLowerCase() || "x-session-token";
  return {
    isHome({ request }) {
      const token = request.headers.get(header);
      if (token === undefined || token === "") return undefined;
      const name = Buffer.from(token, "base64").toString("utf8");
      return ({ namespace, pod, id }) => name === `${namespace}/${pod}` || name === id;
    },
    launched() {},
  };
}

/** The client names its session; the picker remembers where it went. */
function bySessionId({ sessionIdConfig }: Parameters): Affinity {
  const headers = sessionIdConfig.sources.map(({ header = "" }) => header.toLowerCase());
  const names = headers.length > 0 ? headers : ["x-session-id"];
  const lifeMs = 1000 * (sessionIdConfig.evictionTtlSeconds || 300);
  const sessions = new Map<string, { home: string; usedAt: number }>();
  const idOf = ({ request }: Cycle) =>
    names.map((name) => request.headers.get(name)).find((id) => id !== undefined && id !== "");
  return {
    isHome(cycle) {
      const session = sessions.get(idOf(cycle) ?? "");
      if (session === undefined || cycle.chance.now - session.usedAt > lifeMs) return undefined;
      return ({ id }) => id === session.home;
    },
    launched(cycle, primary) {
      const id = idOf(cycle);
      if (id === undefined) return;
      const usedAt = cycle.chance.now;
      sessions.delete(id);
      sessions.set(id, { home: primary.id, usedAt });
      // In order of use: the old ones come first.
      for (const [old, session] of sessions) {
        if (usedAt - session.usedAt <= lifeMs) break;
        sessions.delete(old);
      }
    },
  };
}

export const sessionAffinityFilter = pluginType({
  type: "session-affinity-filter",
  summary: "The pod of the session, as long as it is there.",
  parameters,
  create(given) {
    const sessions = affinity(given);
    return {
      filter: {
        filter(cycle, endpoints) {
          const isHome = sessions.isHome(cycle);
          const home = isHome === undefined ? [] : endpoints.filter(isHome);
          return home.length > 0 ? home : endpoints;
        },
      },
      launchHook: sessions,
    };
  },
});

export const sessionAffinityScorer = pluginType({
  type: "session-affinity-scorer",
  summary: "1 for the pod of the session, 0 for the others.",
  parameters,
  create(given) {
    const sessions = affinity(given);
    return {
      scorer: {
        score(cycle, endpoints) {
          const isHome = sessions.isHome(cycle);
          return endpoints.map((endpoint) => (isHome?.(endpoint) ? 1 : 0));
        },
      },
      launchHook: sessions,
    };
  },
});
