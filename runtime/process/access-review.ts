import { createHash } from "node:crypto";

/** Creates an object of the API server's review kinds, and answers what it says. */
export interface ReviewApi {
  /** @param path of the kind, for example `/apis/authentication.k8s.io/v1/tokenreviews` */
  create(path: string, object: object): Promise<unknown>;
}

/** What the API server thinks of a reader. */
export type Access = "allowed" | "unauthenticated" | "forbidden";

export interface AccessReview {
  /** @param token of the header `Authorization: Bearer ...`; undefined where there is none */
  review(token: string | undefined, path: string): Promise<Access>;
}

/** How long an answer is believed, in milliseconds. */
const allowedFor = 60_000;
const refusedFor = 10_000;
const maxRemembered = 1_000;

interface TokenReview {
  readonly status?: {
    readonly authenticated?: boolean;
    readonly user?: {
      readonly username?: string;
      readonly uid?: string;
      readonly groups?: readonly string[];
      readonly extra?: Readonly<Record<string, readonly string[]>>;
    };
  };
}
interface SubjectAccessReview {
  readonly status?: { readonly allowed?: boolean };
}

/**
 * Asks the API server who a token is (TokenReview) and whether they may `get` a path that is no resource
 * (SubjectAccessReview). Answers are remembered for a minute, refusals for ten seconds.
 *
 * @param now milliseconds of any clock
 */
export function accessReview(api: ReviewApi, now: () => number): AccessReview {
  const remembered = new Map<string, { access: Access; until: number }>();
  return {
    async review(token, path) {
      if (token === undefined) return "unauthenticated";
      const key = `${createHash("sha256").update(token).digest("base64")} ${path}`;
      const known = remembered.get(key);
      if (known !== undefined && now() < known.until) return known.access;
      const access = await ask(api, token, path);
      if (remembered.size >= maxRemembered) remembered.clear();
      remembered.set(key, {
        access,
        until: now() + (access === "allowed" ? allowedFor : refusedFor),
      });
      return access;
    },
  };
}

async function ask(api: ReviewApi, token: string, path: string): Promise<Access> {
  const { status: who } = (await api.create("/apis/authentication.k8s.io/v1/tokenreviews", {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenReview",
    spec: { token },
  })) as TokenReview;
  if (!who?.authenticated) return "unauthenticated";
  const { username: user, uid, groups, extra } = who.user ?? {};
  const { status } = (await api.create("/apis/authorization.k8s.io/v1/subjectaccessreviews", {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SubjectAccessReview",
    spec: { user, uid, groups, extra, nonResourceAttributes: { path, verb: "get" } },
  })) as SubjectAccessReview;
  return status?.allowed ? "allowed" : "forbidden";
}
