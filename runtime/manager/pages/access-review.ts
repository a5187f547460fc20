import { createHash } from "node:crypto";
import { unplanned } from "../../../kubernetes/kinds/unplanned.ts";
import { collectionPath } from "../../../kubernetes/paths.ts";
import { pageAudience } from "../../../sdk/names.ts";
import { limits } from "../../limits.ts";
import { newAllowance, remember } from "./allowance.ts";

/** Creates an object of one of the API server's review kinds, and returns the response. */
export interface ReviewApi {
  /** @param path path of the kind, for example `/apis/authentication.k8s.io/v1/tokenreviews` */
  create(path: string, object: object): Promise<unknown>;
}

/** The API server's decision on a reader. */
export type Access = "allowed" | "unauthenticated" | "forbidden" | "busy";

export interface AccessReview {
  /**
   * @param token token of the header `Authorization: Bearer ...`; undefined without one
   * @param from address of the client
   */
  review(token: string | undefined, path: string, from: string): Promise<Access>;
}

/** Time for which a decision is cached, in ms. */
const allowedForMs = 60_000;
const refusedForMs = 10_000;

interface TokenReview {
  readonly status?: {
    readonly authenticated?: boolean;
    readonly audiences?: readonly string[];
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
 * Reviews a token with the API server: its owner (TokenReview) and whether the owner may `get` a non-resource path
 * (SubjectAccessReview). Grants are cached for 60 seconds, denials for 10. A token may be for the API server, as with
 * scrapers, or for these pages only.
 *
 * @param now milliseconds of any clock
 */
export function accessReview(api: ReviewApi, now: () => number): AccessReview {
  // Two maps, so that a flood of denials cannot evict a valid token.
  const good = new Map<string, Remembered>();
  const bad = new Map<string, Remembered>();
  const asking = new Map<string, Promise<Access>>();
  const unknown = newAllowance(now, { burst: limits.tokenReviews.value, perSecond: 1 });
  const review = async (key: string, token: string, path: string) => {
    const access = await ask(api, token, path);
    if (access === "allowed") remember(good, key, { access, until: now() + allowedForMs });
    else {
      good.delete(key);
      remember(bad, key, { access, until: now() + refusedForMs });
    }
    return access;
  };
  return {
    async review(token, path, from) {
      if (token === undefined) return "unauthenticated";
      const key = `${createHash("sha256").update(token).digest("base64")} ${path}`;
      const known = good.get(key) ?? bad.get(key);
      if (known !== undefined && now() < known.until) return known.access;
      const asked = asking.get(key);
      if (asked !== undefined) return asked;
      if (!good.has(key) && !(asking.size < limits.tokenReviewsAtOnce.value && unknown(from)))
        return "busy";
      const answer = review(key, token, path).finally(() => asking.delete(key));
      asking.set(key, answer);
      return answer;
    },
  };
}

interface Remembered {
  readonly access: Access;
  readonly until: number;
}

async function ask(api: ReviewApi, token: string, path: string): Promise<Access> {
  const audiences = isForPages(token) ? [pageAudience] : undefined;
  const { status: who } = (await api.create(collectionPath(unplanned.TokenReview), {
    apiVersion: unplanned.TokenReview.apiVersion,
    kind: unplanned.TokenReview.kind,
    spec: { token, ...(audiences && { audiences }) },
  })) as TokenReview;
  if (!who?.authenticated) return "unauthenticated";
  // An authenticator without audience support returns no audiences (TokenReviewStatus, `audiences`).
  if (audiences && !who.audiences?.includes(pageAudience)) return "unauthenticated";
  const { username: user, uid, groups, extra } = who.user ?? {};
  const { status } = (await api.create(collectionPath(unplanned.SubjectAccessReview), {
    apiVersion: unplanned.SubjectAccessReview.apiVersion,
    kind: unplanned.SubjectAccessReview.kind,
    spec: { user, uid, groups, extra, nonResourceAttributes: { path, verb: "get" } },
  })) as SubjectAccessReview;
  return status?.allowed ? "allowed" : "forbidden";
}

/** Whether a token claims to be for these pages. Only the API server can verify this. */
function isForPages(token: string): boolean {
  try {
    const { aud } = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
    return [aud].flat().includes(pageAudience);
  } catch {
    return false;
  }
}
